"""A real API server refuses what the guards refuse, says why, and lets everything else through."""

from collections.abc import Iterator
from typing import Any

import pytest

from bedplate.lab.cluster import Cluster
from bedplate.policies.admission import GUARDS, Guard, manifests, name
from bedplate.policies.rule import REGISTRY
from tests.cluster.guarding import attempt, guarding
from tests.unit.policies import valid as v
from tests.unit.policies.case import Docs, put

NAMESPACES = ("team", "serve", "default")
WORKER = "job spec pytorchReplicaSpecs Worker template"
CONTAINER = f"{WORKER} spec containers 0"
SHM = "/dev/shm"  # noqa: S108 (a mount point in pods)
RAIL = v.network("rail", "team", {"type": "macvlan", "master": "ens1f0", "ipam": {"type": "nv-ipam"}})
SRIOV = {
    "nicSelector": {"vendor": "15b3"},
    "nodeSelector": {"a": "b"},
    "numVfs": 8,
    "resourceName": "vf",
    "linkType": "ib",
}


def scaler(metric: str) -> v.Doc:
    target = {"type": "AverageValue", "averageValue": "5"}
    spec = {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "vllm"},
        "maxReplicas": 2,
        "metrics": [{"type": "Pods", "pods": {"metric": {"name": metric}, "target": target}}],
    }
    return v.manifest("autoscaling/v2", "HorizontalPodAutoscaler", "vllm", "serve", spec=spec)


def ingress() -> v.Doc:
    spec = {"ingressClassName": "cilium", "defaultBackend": {"service": {"name": "web", "port": {"number": 80}}}}
    return v.manifest("networking.k8s.io/v1", "Ingress", "web", "serve", spec=spec)


def pod() -> v.Doc:
    return v.manifest("v1", "Pod", "x", "team", spec=v.pod_spec())


def volume() -> v.Doc:
    source = {"driver": "fsx.csi.aws.com", "volumeHandle": "fs-1"}
    spec = {"accessModes": ["ReadWriteMany"], "capacity": {"storage": "1Ti"}, "csi": source}
    return v.manifest("v1", "PersistentVolume", "fs", spec=spec)


def scaled(query: str) -> v.Doc:
    trigger = {"type": "prometheus", "metadata": {"query": query, "threshold": "5", "serverAddress": "http://x"}}
    spec = {"scaleTargetRef": {"name": "vllm"}, "triggers": [trigger]}
    return v.manifest("keda.sh/v1alpha1", "ScaledObject", "vllm", "serve", spec=spec)


FRAMEWORKS = {
    "tf": ("TFJob", "tensorflow"),
    "xgb": ("XGBoostJob", "xgboost"),
    "paddle": ("PaddleJob", "paddle"),
    "jax": ("JAXJob", "jax"),
}


def framework_job(field: str, name: str = "") -> v.Doc:
    """A job of another framework, whose container has its operator's name or another one."""
    kind, container = FRAMEWORKS[field]
    template = {"spec": {"containers": [{"name": name or container, "image": "train:1"}]}}
    spec = {f"{field}ReplicaSpecs": {"Worker": {"replicas": 1, "template": template}}}
    return v.manifest("kubeflow.org/v1", kind, "job", "team", spec=spec)


def ray_cluster() -> v.Doc:
    template = {"spec": {"containers": [{"name": "ray", "image": "registry.example/ray:2.52.0"}]}}
    return v.manifest(
        "ray.io/v1", "RayCluster", "ray", "team", spec={"headGroupSpec": {"rayStartParams": {}, "template": template}}
    )


def env(**variables: str) -> list[v.Doc]:
    return [{"name": key, "value": value} for key, value in variables.items()]


RIGHT: Docs = {
    "job": v.pytorch_job(),
    "mpi": v.mpi_job(),
    "set": v.job_set(),
    "indexed": v.indexed_job(),
    "server": v.deployment(),
    "group": v.leader_worker_set(),
    "train": v.train_job(resourcesPerNode={"limits": {"nvidia.com/gpu": 8}}),
    "pod": pod(),
    "policy": v.nic_policy(),
    "network": RAIL,
    "ports": v.manifest("sriovnetwork.openshift.io/v1", "SriovNetworkNodePolicy", "p", "team", spec=SRIOV),
    "quota": v.manifest("v1", "ResourceQuota", "q", "team", spec={"hard": {"requests.nvidia.com/gpu": "8"}}),
    "scaler": scaler("vllm_num_requests_waiting"),
    "ingress": ingress(),
    "volume": volume(),
    "class": v.manifest("storage.k8s.io/v1", "StorageClass", "fast", provisioner="fsx.csi.aws.com"),
    "macvlan": v.manifest("mellanox.com/v1alpha1", "MacvlanNetwork", "rail", spec={"ipam": '{"type": "whereabouts"}'}),
    "keda": scaled("sum(vllm:num_requests_waiting)"),
    "ray": ray_cluster(),
    **{each: framework_job(each) for each in ("tf", "xgb", "paddle", "jax")},
}
WRONG: dict[str, tuple[str, Any]] = {
    "bedplate-gpu-102": (f"{CONTAINER} image", "train:latest"),
    "bedplate-gpu-125": ("pod spec hostUsers", False),
    "bedplate-net-217": (f"{CONTAINER} securityContext", {}),
    "bedplate-net-221": (
        "indexed spec template",
        {
            "metadata": {"annotations": {"k8s.v1.cni.cncf.io/networks": "rail"}},
            "spec": {**v.pod_spec(), "hostNetwork": True, "restartPolicy": "Never"},
        },
    ),
    "bedplate-nccl-301-algo": (f"{CONTAINER} env", env(NCCL_ALGO="Ring")),
    "bedplate-nccl-301-proto": (f"{CONTAINER} env", env(NCCL_PROTO="LL128")),
    "bedplate-nccl-301-p2p": (f"{CONTAINER} env", env(NCCL_P2P_DISABLE="1")),
    "bedplate-nccl-301-shm": (f"{CONTAINER} env", env(NCCL_SHM_DISABLE="1")),
    "bedplate-nccl-303-gdr": (f"{CONTAINER} env", env(NCCL_NET_GDR_LEVEL="5")),
    "bedplate-nccl-303-p2p": (f"{CONTAINER} env", env(NCCL_P2P_LEVEL="5")),
    "bedplate-nccl-308": (f"{CONTAINER} env", env(NCCL_NET="Socket")),
    "bedplate-nccl-310": ("pod spec containers 0 volumeMounts", []),
    "bedplate-nccl-310-tensor": (
        "server spec template spec",
        {
            **v.deployment()["spec"]["template"]["spec"],
            "volumes": [],
            "containers": [
                {
                    **{
                        key: value
                        for key, value in v.deployment()["spec"]["template"]["spec"]["containers"][0].items()
                        if key != "volumeMounts"
                    },
                    "command": ["vllm", "serve", "m", "--tensor-parallel-size=2"],
                }
            ],
        },
    ),
    "bedplate-nccl-311": ("pod spec volumes 0 emptyDir sizeLimit", "600Gi"),
    "bedplate-nccl-312": (
        "group spec leaderWorkerTemplate workerTemplate spec containers 0 resources requests memory",
        "1Gi",
    ),
    "bedplate-sch-404": (f"{WORKER} spec schedulerName", "volcano"),
    "bedplate-sch-404-labels": ("set metadata labels kai.scheduler/queue", "team"),
    "bedplate-sch-414": (
        "mpi spec mpiReplicaSpecs Worker template spec topologySpreadConstraints",
        [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule"}],
    ),
    "bedplate-trn-501": (f"{CONTAINER} name", "trainer"),
    "bedplate-trn-501-tf": ("tf", framework_job("tf", "main")),
    "bedplate-trn-501-xgboost": ("xgb", framework_job("xgb", "main")),
    "bedplate-trn-501-paddle": ("paddle", framework_job("paddle", "main")),
    "bedplate-trn-501-jax": ("jax", framework_job("jax", "main")),
    "bedplate-trn-506": ("job spec elasticPolicy", {"minReplicas": 1, "maxReplicas": 4}),
    "bedplate-trn-508": ("group metadata name", "x" * 52),
    "bedplate-trn-517": ("job spec runPolicy", {}),
    "bedplate-trn-517-mpi": ("mpi spec runPolicy", {}),
    "bedplate-trn-518": ("job metadata name", "other"),
    "bedplate-trn-520": ("job metadata name", "1llama"),
    "bedplate-trn-524": ("ray spec headGroupSpec rayStartParams", {"resources": '{"NPU": 1}'}),
    "bedplate-sch-429": (
        f"{WORKER} metadata annotations",
        {f"kueue.x-k8s.io/podset-{each}-topology": "rack" for each in ("required", "preferred")},
    ),
    "bedplate-net-201": ("policy metadata name", "policy"),
    "bedplate-net-207": (
        "network spec config",
        '{"cniVersion": "0.3.1", "type": "macvlan", "ipam": {"type": "host-local"}}',
    ),
    "bedplate-net-207-operator": ("macvlan spec ipam", '{"type": "host-local"}'),
    "bedplate-net-213": ("ports spec numVfs", 32),
    "bedplate-sch-416": ("quota spec hard limits.nvidia.com/gpu", "8"),
    "bedplate-inf-604": ("scaler", scaler("gpu_utilization")),
    "bedplate-inf-604-keda": ("keda", scaled("avg(DCGM_FI_DEV_GPU_UTIL)")),
    "bedplate-inf-605": ("scaler", scaler("vllm:num_requests_waiting")),
    "bedplate-inf-614": ("ingress spec ingressClassName", "nginx"),
    "bedplate-sto-701": ("volume spec csi driver", "lustre.csi.io"),
    "bedplate-sto-701-class": ("class provisioner", "lustre.csi.io"),
}


@pytest.fixture(scope="module")
def guarded(cluster: Cluster, crds: None) -> Iterator[Cluster]:
    cluster.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": place}} for place in NAMESPACES])
    with guarding(cluster, manifests()):
        yield cluster


@pytest.mark.parametrize("doc", RIGHT)
def test_what_is_right_is_let_through(guarded: Cluster, doc: str) -> None:
    taken, said = attempt(guarded, RIGHT[doc])
    assert taken, said
    warned = [line for line in said.splitlines() if "Validation failed" in line and "TRN-518" not in line]
    assert warned == []


@pytest.mark.parametrize("guard", GUARDS, ids=name)
def test_each_guard_refuses_or_warns_with_the_rules_words(guarded: Cluster, guard: Guard) -> None:
    path, value = WRONG[name(guard)]
    place = tuple(path.split())
    taken, said = attempt(guarded, put(RIGHT, place, value)[place[0]])
    rule = REGISTRY[guard.rule]
    mandatory = (guard.severity or rule.severity) == "mandatory"
    assert f"{guard.rule} {rule.title}" in said
    assert name(guard) in said
    assert taken is not mandatory


def test_a_system_namespace_is_let_through(guarded: Cluster) -> None:
    wrong = put(RIGHT, ("quota", "spec", "hard"), {"limits.nvidia.com/gpu": "8"})
    taken, said = attempt(guarded, put(wrong, ("quota", "metadata", "namespace"), "kube-system")["quota"])
    assert taken, said
