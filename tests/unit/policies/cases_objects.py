"""Cases of the rules on fields and values of any object; they look at what stands in a file."""

from tests.unit.policies import valid as v
from tests.unit.policies.case import Case, case


def server() -> v.Doc:
    return {**v.deployment(), "file": "serve.yaml"}


def job_set() -> v.Doc:
    worker = {"restartPolicy": "Never", "containers": [{"name": "a", "image": "registry.example/a:1"}]}
    jobs = [{"name": "w", "replicas": 1, "template": {"spec": {"parallelism": 2, "template": {"spec": worker}}}}]
    return {
        **v.manifest("jobset.x-k8s.io/v1alpha2", "JobSet", "train", spec={"replicatedJobs": jobs}),
        "file": "a.yaml",
    }


GPU_SERVER = v.manifest(
    "models.example.com/v1",
    "Server",
    "falcon",
    spec={"image": "r.example/a:1", "resources": {"gpu": {"type": "l4", "count": 2}, "limits": {"memory": "8Gi"}}},
)
"""Of an operator that has amounts of its own beside those of Kubernetes."""
CONTAINER = "server spec template spec containers 0"
CLAIMS = "server spec template spec resourceClaims"
WORKER = "jobs spec replicatedJobs 0 template spec template spec"
CASES: list[Case] = [
    case(
        "OBJ-901",
        {"server": server(), "jobs": job_set(), "facts": {"kubernetesVersion": "1.35"}},
        (f"{CONTAINER} imagePullPolicyy", "Always", "containers[0].imagePullPolicyy is no field", "mandatory"),
        ("server specs", {}, "Deployment serve/vllm: specs is no field of this kind", "mandatory"),
        (f"{WORKER} restartPolicie", "Never", "restartPolicie is no field of this kind (jobset 0.12.0)", "advisory"),
        ("jobs spec sucessPolicy", {}, "spec.sucessPolicy is no field of this kind (jobset", "advisory"),
    ),
    case(
        "OBJ-901",
        {"server": server(), "jobs": job_set()},
        (
            f"{CONTAINER} imagePullPolicyy",
            "Always",
            "containers[0].imagePullPolicyy is no field of this kind. ku",
            "mandatory",
        ),
        (
            CLAIMS,
            [{"name": "gpu", "source": {"resourceClaimName": "a"}}],
            "no field of this kind after Kubernetes 1.30",
            "advisory",
        ),
        ("jobs spec sucessPolicy", {}, "spec.sucessPolicy is no field of this kind (jobset", "advisory"),
    ),
    case(
        "OBJ-901",
        {"server": server(), "facts": {"kubernetesVersion": "1.34"}},
        (
            CLAIMS,
            [{"name": "gpu", "source": {"resourceClaimName": "a"}}],
            "source is no field of this kind. k",
            "mandatory",
        ),
    ),
    case(
        "OBJ-902",
        {"server": server(), "jobs": job_set()},
        ("server spec replicas", "2", 'spec.replicas is "2" where a whole number belongs', "mandatory"),
        (f"{CONTAINER} env", [{"name": "A", "value": 1}], "env[0].value is 1 where a text belongs", "mandatory"),
        (f"{CONTAINER} args", {"a": "b"}, "args is a map where a list belongs", "mandatory"),
        (f"{CONTAINER} ports", [{"containerPort": True}], "is true where a whole number belongs", "mandatory"),
        (f"{CONTAINER} readinessProbe", {"httpGet": {"port": []}}, "is a list where a number or a text", "mandatory"),
        (
            "jobs spec replicatedJobs 0 replicas",
            "x",
            'replicas is "x" where a whole number belongs (jobset',
            "advisory",
        ),
        ("jobs spec startupPolicy", {"startupPolicyOrder": "No"}, 'is "No", none of AnyOrder, InOrder', "advisory"),
    ),
    case(
        "OBJ-903",
        {"server": server(), "other": GPU_SERVER},
        ("other spec resources limits memory", "8 Gi", "container main: limits of memory is '8 Gi'", "advisory"),
        (f"{CONTAINER} resources limits memory", "8 Gi", "container vllm: limits of memory is '8 Gi'", "mandatory"),
        (f"{CONTAINER} resources requests", {"cpu": "four"}, "container vllm: requests of cpu is 'four'"),
    ),
    case(
        "OBJ-905",
        {
            "cron": v.manifest("batch/v1", "CronJob", "a", "x", spec={}),
            "budget": v.manifest("policy/v1", "PodDisruptionBudget", "b", "x", spec={"selector": {"matchLabels": {}}}),
        },
        ("cron apiVersion", "batch/v1beta1", "batch/v1beta1 CronJob is not served since Kubernetes 1.25", "advisory"),
        ("cron apiVersion", "batch/v1beta1", "Write batch/v1."),
        (
            "cron",
            v.manifest("policy/v1beta1", "PodSecurityPolicy", "a", spec={}),
            "Remove it: nothing took its place in the API.",
        ),
        ("budget apiVersion", "policy/v1beta1", "PodDisruptionBudget is not served since Kubernetes 1.25"),
    ),
    case(
        "OBJ-905",
        {
            "scaler": v.manifest("autoscaling/v2beta2", "HorizontalPodAutoscaler", "a", "x", spec={}),
            "facts": {"kubernetesVersion": "1.25"},
        },
        (
            "facts",
            {"kubernetesVersion": "1.26"},
            "autoscaling/v2beta2 HorizontalPodAutoscaler is not served since Kubernetes 1.26",
        ),
    ),
    case(
        "OBJ-904",
        {"server": server()},
        ("server twice", ["resources"], "the key resources stands twice in one mapping"),
    ),
    case(
        "OBJ-905",
        {
            "jobs": v.manifest("batch/v1", "CronJob", "nightly", spec={}),
            "flows": v.manifest("flowcontrol.apiserver.k8s.io/v1beta3", "FlowSchema", "jobs", spec={}),
            "facts": {"kubernetesVersion": "1.31"},
        },
        ("jobs apiVersion", "batch/v1beta1", "batch/v1beta1 CronJob is not served since Kubernetes 1.25", "mandatory"),
    ),
    case(
        "OBJ-905",
        {
            "flows": v.manifest("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", "jobs", spec={}),
            "facts": {"kubernetesVersion": "1.32"},
        },
        (
            "flows apiVersion",
            "flowcontrol.apiserver.k8s.io/v1beta3",
            "is not served since Kubernetes 1.32",
            "mandatory",
        ),
    ),
    case(
        "OBJ-905",
        {"rules": v.manifest("policy/v1", "PodDisruptionBudget", "serve", spec={})},
        ("rules apiVersion", "policy/v1beta1", "policy/v1beta1 PodDisruptionBudget is not served", "advisory"),
        ("rules apiVersion", "policy/v1beta1", "and refuses the file. Write policy/v1.", "advisory"),
    ),
]
