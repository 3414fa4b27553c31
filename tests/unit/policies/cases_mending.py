"""What is mended, before and after, and what is left to its owner: texts of whole files by their rule."""

from pathlib import Path
from tempfile import TemporaryDirectory

from bedplate.policies.facts import Facts
from bedplate.policies.judging.judge import Levels, judge
from bedplate.policies.manifests.read import read
from bedplate.policies.mending.files import mended
from bedplate.policies.rules import RULES

POD = """apiVersion: v1
kind: Pod
metadata:
  name: a
  namespace: x
spec: # the pod
{spec}
  containers:
    - name: a # the only one
      image: registry.example/a:1
{container}"""
GPU = '      resources: {limits: {nvidia.com/gpu: 1}, requests: {nvidia.com/gpu: "1"}}'


def pod(container: str = GPU, spec: str = "  # by hand") -> str:
    return POD.format(container=container, spec=spec)


def job(name: str) -> str:
    replica = f"Worker: {{replicas: 2, template: {{spec: {{containers: [{{name: {name}, image: 'a:1'}}]}}}}}}"
    return f"""apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: a, namespace: x}}
spec: {{pytorchReplicaSpecs: {{{replica}}}}}
"""


JSON = """{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"},
 "spec": {"containers": [{"name": "a", "image": "a:1", "resources": {"requests": {"nvidia.com/gpu": 1}%s}}]}}
"""
QUOTA = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: a}\nspec:\n  hard:\n    %snvidia.com/gpu: 8 # all\n"
QUEUE = "apiVersion: kueue.x-k8s.io/%s\nkind: ClusterQueue\nmetadata: {name: a}\nspec:\n  %s: all # of us\n"
POLICY = "apiVersion: mellanox.com/v1alpha1\nkind: NicClusterPolicy\nmetadata:\n  name: %s # ours\nspec: {}\n"
CRON = "apiVersion: batch/%s # cron\nkind: CronJob\nmetadata: {name: a}\nspec: {}\n"
BUDGET = (
    "apiVersion: policy/%s\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {selector: {matchLabels: {a: b}}}\n"
)
LOUD = "      command: [torchrun, a.py]\n      env:\n        - name: NCCL_DEBUG\n          value: %s # loud\n"
HOST = "      command: [torchrun, --rdzv_endpoint=a:1]\n"
SETS = """apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: a}
spec: {replicatedJobs: [], startupPolicy: {startupPolicyOrder: %s}}
"""
FIXES = [
    ("OBJ-902", SETS % "inorder", SETS % "InOrder"),
    (
        "GPU-128",
        pod("      resources:\n        requests:\n          nvidia.com/gpu: 8 # all\n      tty: true\n"),
        pod(
            "      resources:\n        requests:\n          nvidia.com/gpu: 8 # all\n"
            "        limits: {nvidia.com/gpu: 8}\n      tty: true\n"
        ),
    ),
    (
        "GPU-128",
        pod("      resources: {limits: {cpu: 1}, requests: {hugepages-2Mi: 4Mi}}\n"),
        pod('      resources: {limits: {cpu: 1, hugepages-2Mi: "4Mi"}, requests: {hugepages-2Mi: 4Mi}}\n'),
    ),
    (
        "GPU-128",
        JSON % "",
        JSON % ', "limits": {"nvidia.com/gpu": 1}',
    ),
    ("SCH-416", QUOTA % "limits.", QUOTA % "requests."),
    ("SCH-416", QUOTA % "", QUOTA % "requests."),
    ("SCH-410", QUEUE % ("v1beta2", "cohort"), QUEUE % ("v1beta2", "cohortName")),
    ("SCH-410", QUEUE % ("v1beta1", "cohortName"), QUEUE % ("v1beta1", "cohort")),
    ("NET-201", POLICY % "nics", POLICY % "nic-cluster-policy"),
    (
        "NET-226",
        pod(HOST, "  hostNetwork: true"),
        pod(HOST + "  dnsPolicy: ClusterFirstWithHostNet\n", "  hostNetwork: true"),
    ),
    (
        "NET-226",
        pod(HOST, "  hostNetwork: true\n  dnsPolicy: ClusterFirst # no"),
        pod(HOST, "  hostNetwork: true\n  dnsPolicy: ClusterFirstWithHostNet # no"),
    ),
    ("NCCL-309", pod(LOUD % "INFO"), pod(LOUD % "WARN")),
    ("TRN-501", job("worker"), job("pytorch")),
    ("OBJ-901", pod(GPU, "  restartPolicie: Never # ever"), pod(GPU, "  restartPolicy: Never # ever")),
    (
        "OBJ-902",
        pod("      env: [{name: N, value: 1}, {name: B, value: true}]\n"),
        pod('      env: [{name: N, value: "1"}, {name: B, value: "true"}]\n'),
    ),
    ("OBJ-902", pod("      ports: [{containerPort: '80'}]\n"), pod("      ports: [{containerPort: 80}]\n")),
    (
        "OBJ-903",
        pod("      resources: {limits: {memory: 8 Gi}}\n"),
        pod('      resources: {limits: {memory: "8Gi"}}\n'),
    ),
    ("OBJ-905", CRON % "v1beta1", CRON % "v1"),
    ("OBJ-905", BUDGET % "v1beta1", BUDGET % "v1"),
]
LEFT = [
    ("OBJ-902", pod("      args: 5\n")),
    ("OBJ-902", pod("      args: {a: b}\n")),
    ("SCH-410", QUEUE % ("v1beta2", "cohort") + "  cohortName: other\n"),
    ("SCH-410", QUEUE.replace("all # of us", "[a]") % ("v1beta2", "admissionChecks")),
    ("SCH-416", QUOTA % "limits." + "    requests.nvidia.com/gpu: 4\n"),
    ("GPU-128", pod("      resources: {limits: {nvidia.com/gpu: 1}, requests: {nvidia.com/gpu: 2}}\n")),
    ("TRN-501", job("a").replace("[{name: a,", "[{name: b, image: b}, {name: a,")),
    ("OBJ-901", pod("      imagePull: Always\n")),
    ("OBJ-902", pod("      env: [{name: MODE, value: 0755}]\n")),
    ("OBJ-902", pod("      env: [{name: MODE, value: yes}]\n")),
    ("OBJ-903", pod("      resources: {limits: {memory: 8GB}}\n")),
    ("OBJ-905", "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: a}\nspec: {}\n"),
    ("OBJ-905", BUDGET.replace("{matchLabels: {a: b}}", "{}") % "v1beta1"),
    (
        "GPU-128",
        pod(
            "      resources: &it\n        requests: {nvidia.com/gpu: 8}\n    - name: b\n      image: b:1\n      resources: *it\n"
        ),
    ),
]


def mended_once(rule: str, text: str) -> str:
    """The text after the changes that this rule alone knows."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "a.yaml")
        file.write_text(text)
        reading = read([file])
        others: Levels = {each.id: "disabled" for each in RULES if each.id != rule}
        verdicts = judge(reading.resources, Facts(), others, complete=False)
        return mended(verdicts, reading).after.get(file, text)
