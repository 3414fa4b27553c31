"""Rules that public incidents taught: what the runtime gives, who waits for whom, and what stands between ranks."""

from typing import Any

from tests.unit.policies import valid as v
from tests.unit.policies.case import GONE, case

VISIBLE = "NVIDIA_VISIBLE_DEVICES"
PLUGIN = "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"
GATE = "mpi spec runPolicy schedulingPolicy"
INJECT = "sidecar.istio.io/inject"
SPECS = "job spec pytorchReplicaSpecs"
SET = "plugin spec template spec"


def pod(*containers: v.Doc, **spec: Any) -> v.Doc:
    return v.manifest("v1", "Pod", "x", "team", spec={"containers": list(containers), **spec})


def plain(image: str = "registry.example/a:1", env: dict[str, str] | None = None, **limits: object) -> v.Doc:
    variables = [{"name": name, "value": value} for name, value in (env or {}).items()]
    wanted = {key.replace("__", "/").replace("_", "."): count for key, count in limits.items()}
    return {"name": "main", "image": image, "env": variables, "resources": {"limits": wanted}}


def daemon_set(container: v.Doc, **spec: Any) -> v.Doc:
    template = {"template": {"spec": {"containers": [container], **spec}}}
    return v.manifest("apps/v1", "DaemonSet", "plugin", "kube-system", spec=template)


SCALING = {"pool": "p5"}


def pools(stated: dict[str, Any]) -> v.Doc:
    """The profile's facts of one pool of eight nodes."""
    return {"pools": [{"name": "p5", "nodes": 8, "labels": {**SCALING, "disk": "nvme"}, **stated}]}


def asking(*checks: dict[str, Any]) -> v.Doc:
    spec = {"admissionChecksStrategy": {"admissionChecks": list(checks)}}
    return v.manifest("kueue.x-k8s.io/v1beta2", "ClusterQueue", "asking", spec=spec)


def waiting(least: int | None = None, scheduler: str = "") -> v.Doc:
    """An MPIJob whose launcher is made when its two workers run."""
    job = v.mpi_job()
    job["spec"]["launcherCreationPolicy"] = "WaitForWorkersReady"
    job["spec"]["runPolicy"]["schedulingPolicy"] = {"minAvailable": least} if least else {}
    if scheduler:
        del job["spec"]["runPolicy"]["schedulingPolicy"]
        job["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]["schedulerName"] = scheduler
    return job


def at_once() -> v.Doc:
    """A gang whose launcher is made with its workers."""
    return {key: value for key, value in waiting()["spec"].items() if key != "launcherCreationPolicy"}


def claiming(name: str = "gpus") -> v.Doc:
    job = v.pytorch_job()
    for replica in job["spec"]["pytorchReplicaSpecs"].values():
        replica["template"]["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimTemplateName": name}]
    return job


def claims(place: str = "team", device: str = "gpu.nvidia.com") -> v.Doc:
    spec = {"spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": device, "count": 8}}]}}}
    return v.manifest("resource.k8s.io/v1", "ResourceClaimTemplate", "gpus", place, spec=spec)


def mapping(device: str) -> str:
    return f"resources: {{deviceClassMappings: [{{name: gpus, deviceClassNames: [{device}]}}]}}"


def on_host(**spec: Any) -> v.Doc:
    template = v.template({**v.pod_spec(), "hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet", **spec})
    return v.pytorch_job(pytorchReplicaSpecs={"Worker": {"replicas": 2, "template": template}})


def space(**labels: str) -> v.Doc:
    return v.manifest("v1", "Namespace", "team", labels={key.replace("_", "-"): value for key, value in labels.items()})


CASES = [
    case(
        "GPU-114",
        {
            "pod": pod(plain(nvidia_com__gpu=1)),
            "plugin": v.release("nvidia-device-plugin", "0.20.0", "gpu", migStrategy="single"),
        },
        (
            "pod spec containers 0 resources limits",
            {"nvidia.com/mig-1g.10gb": 1},
            "asks for a 1g.10gb slice but the MIG strategy is single",
        ),
    ),
    case(
        "GPU-114",
        {
            "pod": pod(plain(nvidia_com__gpu=1)),
            "other": pod({**plain(PLUGIN), "args": ["--mig-strategy=mixed"]}),
            "daemon": daemon_set(plain("registry.example/other:1", {"MIG_STRATEGY": "mixed"})),
            "plugin": daemon_set({**plain(PLUGIN), "args": ["--mig-strategy=none"]}),
        },
        (
            "pod spec containers 0 resources limits",
            {"nvidia.com/mig-1g.10gb": 1},
            "asks for a 1g.10gb slice but the MIG strategy is none",
        ),
    ),
    case(
        "GPU-114",
        {
            "pod": pod({**plain(), "resources": {"limits": {"nvidia.com/mig-1g.10gb": 1}}}),
            "plugin": daemon_set({**plain(PLUGIN), "args": ["--mig-strategy=mixed"]}),
        },
        (f"{SET} containers 0 args", [], "the MIG strategy is none"),
        (f"{SET} containers 0 args", ["--mig-strategy=single"], "the MIG strategy is single"),
    ),
    case(
        "GPU-126",
        {"pod": pod(plain(env={VISIBLE: "void"})), "exporter": daemon_set(plain(env={VISIBLE: "all"}))},
        ("pod spec containers 0 env 0 value", "all", f"{VISIBLE} is all without a request for GPUs"),
        ("pod spec containers 0", plain(env={VISIBLE: "1"}, nvidia_com__gpu=1), f"{VISIBLE} is 1 beside a request"),
    ),
    case(
        "GPU-126",
        {
            "pod": pod(plain("nvidia/cuda:12.9", nvidia_com__gpu=1), nodeSelector={"nvidia.com/gpu.present": "true"}),
            "free": pod(plain("nvidia/cuda:12.9"), nodeSelector={"zone": "a"}),
            "plain": pod(plain(), nodeSelector={"nvidia.com/gpu.present": "true"}),
            "quiet": pod(plain("nvidia/cuda:12.9", {VISIBLE: "none"}), nodeSelector={"nvidia.com/gpu.present": "true"}),
            "claims": pod(
                plain("nvidia/cuda:12.9"),
                nodeSelector={"nvidia.com/gpu.present": "true"},
                resourceClaims=[{"name": "gpu"}],
            ),
        },
        ("pod spec containers 0 resources limits", {"cpu": 1}, "selects a GPU node with a CUDA image"),
        ("free spec nodeSelector", {"nvidia.com/gpu.present": "true"}, "selects a GPU node with a CUDA image"),
    ),
    case(
        "GPU-127",
        {
            "plugin": daemon_set(plain(PLUGIN), runtimeClassName="nvidia"),
            "other": daemon_set(plain()),
            "pod": pod(plain(PLUGIN)),
        },
        (f"{SET} runtimeClassName", GONE, "has no runtimeClassName. By containerd's default runtime"),
    ),
    case(
        "NET-226",
        {"job": on_host(), "single": pod(plain(), hostNetwork=True), "far": v.pytorch_job()},
        (f"{SPECS} Worker template spec dnsPolicy", GONE, "Worker has hostNetwork and dnsPolicy ClusterFirst"),
        (f"{SPECS} Worker template spec dnsPolicy", "ClusterFirst", "Worker has hostNetwork and dnsPolicy"),
        ("single spec containers 0 env", [{"name": "MASTER_ADDR", "value": "a.b.svc"}], "pod has hostNetwork"),
    ),
    case(
        "NET-226",
        {
            "server": v.deployment(template={"spec": {"containers": [plain()], "hostNetwork": True}}),
            "job": v.pytorch_job(
                pytorchReplicaSpecs={
                    "Worker": {"replicas": 1, "template": {"spec": {"containers": [plain()], "hostNetwork": True}}}
                }
            ),
        },
        (f"{SPECS} Worker replicas", 2, "Worker has hostNetwork"),
    ),
    case(
        "SCH-421",
        {
            "mpi": waiting(2),
            "free": v.mpi_job(),
            "gang": {**waiting(), "spec": at_once()},
            "other": waiting(scheduler="default-scheduler"),
            "job": v.job_set(),
        },
        (f"{GATE} minAvailable", GONE, "launcherCreationPolicy is WaitForWorkersReady in a gang of 3"),
        (f"{GATE} minAvailable", 3, "in a gang of 3. The scheduler waits"),
        ("other", waiting(scheduler="volcano"), "in a gang of 3"),
    ),
    case(
        "SCH-421",
        {"mpi": {**waiting(2), "kind": "Other"}},
        ("mpi", waiting(), "in a gang of 3"),
    ),
    case(
        "SCH-422",
        {"job": claiming(), "claims": claims(), "kueue": v.kueue(mapping("gpu.nvidia.com"))},
        (
            "claims spec spec devices requests 0 exactly deviceClassName",
            "mig.nvidia.com",
            "Master claims mig.nvidia.com, which no configuration of Kueue maps",
            "mandatory",
        ),
        complete=False,
    ),
    case(
        "SCH-422",
        {
            "job": {**claiming(), "metadata": {"name": "x", "namespace": "team"}},
            "claims": claims(),
            "far": claims("other", "far.example.com"),
            "others": {**claims(device="b.example.com"), "metadata": {"name": "others", "namespace": "team"}},
        },
        ("job metadata labels", dict(v.QUEUED), "claims gpu.nvidia.com, which no configuration", "advisory"),
        complete=False,
    ),
    case(
        "SCH-423",
        {
            "flavor": v.flavor(nodeLabels=SCALING),
            "facts": pools({"gpusPerNode": 8}),
        },
        (
            "facts",
            pools({"labels": SCALING, "gpusPerNode": 8, "fewestNodes": 2}),
            "pool p5 has 2 nodes or more, up to 8, and nobody asks",
        ),
        ("facts", pools({"gpusPerNode": 8, "fewestNodes": 0}), "pool p5 has 0 nodes or more"),
    ),
    case(
        "SCH-423",
        {
            "flavor": v.flavor(nodeLabels=SCALING),
            "bare": {**v.flavor(nodeLabels=SCALING), "spec": {"nodeLabels": SCALING}},
            "other": v.flavor(nodeLabels={"pool": "other"}),
            "queue": asking({"name": "p5", "onFlavors": ["h100"]}),
            "free": v.manifest("kueue.x-k8s.io/v1beta2", "ClusterQueue", "free", spec={}),
            "facts": pools({"gpusPerNode": 8, "fewestNodes": 0}),
        },
        ("queue", asking({"name": "p5", "onFlavors": []}), "nobody asks for more"),
        ("queue", asking({"name": "p5", "onFlavors": ["other"]}), "and nobody asks for more. Kueue starts"),
        ("queue", asking(), "nobody asks for more"),
        ("queue", {**asking(), "spec": {}}, "nobody asks for more"),
    ),
    case(
        "SCH-423",
        {
            "flavor": v.flavor(nodeLabels=SCALING),
            "queue": asking({"name": "p5"}),
            "facts": pools({"gpusPerNode": 8, "fewestNodes": 0}),
        },
        ("queue", asking(), "nobody asks for more"),
    ),
    case(
        "TRN-519",
        {"job": v.pytorch_job(), "space": space(), "server": {**v.deployment(), "metadata": {"name": "s"}}},
        ("space", space(istio_injection="enabled"), "Master gets Istio's proxy. The proxy outlives the job"),
        (f"{SPECS} Worker template metadata annotations", {INJECT: "true"}, "Worker gets Istio's proxy"),
        (f"{SPECS} Worker template metadata labels", {INJECT: "true"}, "Worker gets Istio's proxy"),
    ),
    case(
        "TRN-519",
        {
            "space": space(istio_injection="enabled"),
            "server": v.manifest("v1", "Pod", "x", "team", spec={"containers": [plain()]}),
            "job": v.pytorch_job(
                pytorchReplicaSpecs={
                    "Worker": {
                        "template": {
                            "metadata": {"labels": {INJECT: "false"}},
                            "spec": {"containers": [plain()]},
                        }
                    }
                }
            ),
            "partial": v.train_job(),
        },
        (f"{SPECS} Worker template metadata labels", {"app": "x"}, "Worker gets Istio's proxy"),
    ),
    case(
        "TRN-520",
        {"job": v.pytorch_job(), "set": {**v.job_set(), "metadata": {"name": "7b"}}},
        ("job metadata name", "7b-train", "the name is 7b-train. The operator makes a Service"),
        ("job metadata name", "llama-3.1", "the name is llama-3.1"),
    ),
    case(
        "TRN-520",
        {"job": {**v.pytorch_job(), "metadata": {"name": "$NAME"}}, "made": {**v.pytorch_job(), "metadata": {}}},
        ("job metadata name", "my_job", "the name is my_job"),
    ),
    case(
        "TRN-520",
        {"job": {**v.pytorch_job(), "metadata": {"name": "{{ name }}"}}},
        ("job metadata name", "Train", "the name is Train"),
    ),
]
