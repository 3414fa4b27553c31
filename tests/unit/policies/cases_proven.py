"""What upstream takes is no finding, and what only something outside of the file decides is advice."""

import json
from typing import Any

from tests.unit.policies import valid as v
from tests.unit.policies.case import GONE, Case, case
from tests.unit.policies.cases_network import HOST_LOCAL, attached
from tests.unit.policies.cases_serving import keda, scaler
from tests.unit.policies.cases_severity import asking, mpi, pod

NETWORKS = "k8s.v1.cni.cncf.io/networks"
HOST = "kubernetes.io/hostname"
POD = "server spec template spec"
LAUNCHER = "job spec mpiReplicaSpecs Launcher template spec containers 0"
MINE = {"labelSelector": {"matchLabels": {"app": "vllm"}}, "topologyKey": HOST}
ONE_NODE = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [MINE]}}
APART = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [MINE]}}
ONE_CLAIM = v.claim("models", "serve", "ReadWriteOnce", storageClassName="local")
SHM_SIZE = "io.kubernetes.cri-o.ShmSize"
MIG = "nvidia.com/mig-1g.10gb"


def held(affinity: v.Doc | None = None, gpus: int = 4, **spec: Any) -> v.Doc:
    server = v.deployment()
    server["spec"]["template"]["spec"].update({"containers": [v.server(gpus)], "affinity": affinity or {}, **spec})
    return server


def group(*gpus: int) -> v.Doc:
    """An operator's group of pods, of which the first one serves over the GPUs of all."""
    serve = {**v.server(gpus[0]), "args": ["vllm", "serve", "org/m", "-tp", "16"]}
    join = [
        {"name": "join", "image": "r.example/vllm:1", "resources": v.server(each)["resources"]} for each in gpus[1:]
    ]
    roles = [{"name": each["name"], "template": {"spec": {"containers": [each]}}} for each in (serve, *join)]
    return v.manifest("groups.example.com/v1", "ModelGroup", "m", "serve", spec={"roles": roles})


def in_file(doc: v.Doc, file: str) -> v.Doc:
    return {**doc, "file": file}


def network(**config: Any) -> str:
    return json.dumps({"cniVersion": "0.3.1", **config})


SERVING: list[Case] = [
    case("INF-601", {"group": group(8, 8)}),
    case(
        "INF-601",
        {"group": group(16)},
        (
            "group spec roles 0 template spec containers 0 args 3",
            "32",
            "right only if other pods of this ModelGroup serve with it",
            "advisory",
        ),
    ),
    case(
        "INF-601",
        {"server": pod({**v.server(8), "command": ["sh", "-c"], "args": ["ray start --head; vllm serve m -tp 16"]})},
        ("server spec containers 0 args 0", "vllm serve m -tp 16", "over 16 GPUs, the pods have 8", "mandatory"),
    ),
    case(
        "INF-602",
        {"server": pod(v.server(4, args=["vllm", "serve", "org/Model-405B"]))},
        ("server spec containers 0 startupProbe", {"failureThreshold": 41}, "gives up after 410 s. The", "advisory"),
        (
            "server spec containers 0 startupProbe",
            {"periodSeconds": 15, "failureThreshold": 27},
            "405 s. The",
            "advisory",
        ),
        ("server spec containers 0 startupProbe", {"failureThreshold": 15}, "its weights come faster than", "advisory"),
        ("server spec containers 0 startupProbe", {"failureThreshold": 4}, "40 s, the start takes 44 s", "mandatory"),
    ),
    *(
        case(
            "INF-602",
            {"server": pod(v.server(4, args=["vllm", "serve", *args]))},
            ("server spec containers 0 startupProbe", {"failureThreshold": 4}, "gives up after 40 s", "advisory"),
        )
        for args in (["org/Model-405B", "--load-format", "dummy"], ["org/gpt-oss-405b"], ["org/Model-405B-FP4"])
    ),
    case(
        "INF-606",
        {"scaler": in_file(scaler(), "a.yaml"), "keda": in_file(keda(), "b.yaml")},
        ("keda spec scaleTargetRef name", "vllm", "if both files are applied", "advisory"),
        (
            "keda",
            in_file(keda(target="vllm"), "a.yaml"),
            "as HorizontalPodAutoscaler serve/vllm does. Each",
            "mandatory",
        ),
        complete=False,
    ),
    case(
        "INF-609",
        {
            "server": pod(v.server()),
            "service": v.manifest("v1", "Service", "vllm", "team", spec={"clusterIP": "None"}),
        },
        ("service spec clusterIP", GONE, "Service vllm sets VLLM_PORT"),
    ),
    case(
        "INF-609",
        {
            "server": pod(v.server(envFrom=[{"configMapRef": {"name": "ports"}}])),
            "service": v.manifest("v1", "Service", "vllm", "team", spec={}),
        },
        ("server spec containers 0 envFrom", GONE, "Service vllm sets VLLM_PORT"),
        ("server spec containers 0 envFrom", [], "Service vllm sets VLLM_PORT"),
    ),
    case(
        "INF-611", {"server": held(ONE_NODE), "claim": ONE_CLAIM}, (f"{POD} affinity", APART, "mount it", "mandatory")
    ),
    case(
        "INF-611",
        {"server": held(nodeSelector={HOST: "a"}), "claim": ONE_CLAIM},
        (f"{POD} nodeSelector", {"pool": "a"}, "right only where all replicas are on one node", "advisory"),
    ),
    case(
        "INF-611", {"server": held(nodeName="a"), "claim": ONE_CLAIM}, (f"{POD} nodeName", GONE, "mount it", "advisory")
    ),
    case(
        "INF-611",
        {"server": held(gpus=8), "claim": v.claim("models", "serve")},
        ("claim", ONE_CLAIM, "claim models is ReadWriteOnce; right only", "advisory"),
        ("claim", v.claim("models", "serve", "ReadWriteOncePod"), "is ReadWriteOncePod", "mandatory"),
        ("claim spec storageClassName", "gp3", "which has block volumes", "mandatory"),
    ),
    case(
        "INF-611",
        {"server": held(gpus=8), "claim": {**ONE_CLAIM, "spec": {"accessModes": ["ReadWriteMany"]}}, "facts": {}},
        ("claim", ONE_CLAIM, "right only", "advisory"),
    ),
    case(
        "INF-611",
        {"server": held(gpus=9), "claim": v.claim("models", "serve")},
        ("claim", ONE_CLAIM, "claim models is ReadWriteOnce. The second", "mandatory"),
    ),
    case(
        "INF-611",
        {"server": held(), "claim": v.claim("models", "serve", volumeMode="Block", storageClassName="gp3")},
        ("claim spec volumeMode", "Filesystem", "which has block volumes", "mandatory"),
    ),
]
NETWORK: list[Case] = [
    case(
        "NET-206",
        {
            "net": v.manifest(
                "sriovnetwork.openshift.io/v1",
                "SriovNetwork",
                "vf",
                "operator",
                spec={"networkNamespace": "team", "resourceName": "vfs"},
            ),
            "pod": v.manifest(
                "v1",
                "Pod",
                "x",
                "team",
                annotations={NETWORKS: "vf"},
                spec={"containers": [asking("a", openshift_io__vfs=1)]},
            ),
        },
        ("pod metadata annotations", {NETWORKS: "vf,vf"}, "attaches 2 networks of openshift.io/vfs but requests 1"),
        (
            "pod spec containers 0 resources limits",
            {"other.example/vfs": 1},
            "attaches 1 networks of nvidia.com/vfs but requests 0",
            "advisory",
        ),
    ),
    case(
        "NET-207",
        {
            "net": v.network("rail", "team", {"type": "macvlan", "ipam": {"type": "nv-ipam"}}),
            "job": attached("rail"),
            "pod": pod(asking("sleep")),
            "facts": {"pools": [v.pool()]},
        },
        ("net spec config", json.dumps(HOST_LOCAL), "from host-local. Each node", "mandatory"),
    ),
    case(
        "NET-207",
        {
            "net": v.network("rail", "team", {"type": "macvlan", "ipam": {"type": "nv-ipam"}}),
            "job": attached("other"),
            "pod": v.manifest("v1", "Pod", "x", "team", annotations={NETWORKS: "rail"}, spec={"containers": []}),
        },
        ("net spec config", json.dumps(HOST_LOCAL), "right only where one node has this network", "advisory"),
    ),
    case("NET-211", {"net": v.network("ib", "t", {"type": "ib-sriov", "pkey": "0x8001"})}),
    case(
        "NET-211",
        {"net": v.network("ib", "t", {"type": "ib-sriov", "pkey": "0x8001"}), "policy": v.nic_policy()},
        ("net spec config", network(type="ib-sriov", ibKubernetesEnabled=True), "nothing deploys ib-kubernetes"),
    ),
]
TRAINING: list[Case] = [
    *(
        case(
            "TRN-504",
            {"job": mpi("sh", "-c", f"{before}mpirun {hosts} -np 16 ./train", slots=1)},
            (f"{LAUNCHER} command 2", "mpirun -np 16 ./train", "-np is 16, 2 workers with 1 slots", "mandatory"),
        )
        for before, hosts in (
            ("sed s/slots=1/slots=8/ /etc/mpi/hostfile > /tmp/h; ", "--hostfile /tmp/h"),
            ("", "-hostfile /shared/hosts"),
            ("", "-H a:8,b:8"),
            ("", "--host a:8,b:8"),
            ("", "--machinefile /shared/hosts"),
        )
    ),
    case(
        "TRN-504",
        {"job": mpi("mpirun", "--hostfile", "/etc/mpi/hostfile", "-np", "16", "./train")},
        ("job spec slotsPerWorker", 4, "-np is 16, 2 workers with 4 slots make 8", "mandatory"),
        ("job spec mpiReplicaSpecs Worker replicas", 1, "-np is 16, 1 workers with 8 slots make 8", "mandatory"),
    ),
    case(
        "TRN-504",
        {
            "job": {
                **mpi("mpirun", "-np", "16", "./train"),
                "spec": {
                    "mpiReplicaSpecs": {
                        "Launcher": mpi("mpirun", "-np", "16", "a")["spec"]["mpiReplicaSpecs"]["Launcher"]
                    }
                },
            }
        },
    ),
    case(
        "GPU-115",
        {"pod": pod(asking("sh", "-c", "torchrun a.py", nvidia_com__gpu=2))},
        ("pod spec containers 0 resources limits", {MIG: 2}, f"asks for 2 {MIG}", "mandatory"),
    ),
    case(
        "GPU-115",
        {
            "pod": pod(
                {
                    **asking(
                        "sh", "-c", "CUDA_VISIBLE_DEVICES=0 accelerate launch a.py & CUDA_VISIBLE_DEVICES=1 python b.py"
                    ),
                    "resources": {"limits": {MIG: 2}},
                }
            )
        },
        ("pod spec containers 0 command 2", "python a.py", f"asks for 2 {MIG}", "advisory"),
    ),
    case(
        "GPU-115",
        {"pod": pod(asking("a"), {**asking("b"), "resources": {"limits": {MIG: 1}}})},
        ("pod spec containers 0 resources", {"limits": {"nvidia.com/mig-2g.20gb": 1}}, "asks for 1", "advisory"),
        (
            "pod spec containers 1 resources limits",
            {MIG: 1, "nvidia.com/mig-2g.20gb": 1},
            "two kinds in one container",
            "mandatory",
        ),
    ),
    case(
        "SCH-410",
        {"queue": {**v.cluster_queue(cohort="all", admissionChecks=["a"]), "apiVersion": "kueue.x-k8s.io/v1beta1"}},
        ("queue spec cohortName", "all", "spec.cohortName is not a field of v1beta1", "mandatory"),
        ("queue apiVersion", "kueue.x-k8s.io/v1beta2", "spec.cohort is not a field of v1beta2", "mandatory"),
    ),
]
SHARED = v.server(2, volumeMounts=[{"name": "dev", "mountPath": "/dev/"}])
NCCL: list[Case] = [
    case(
        "NCCL-310",
        {"server": pod(SHARED, volumes=[{"name": "dev", "hostPath": {"path": "/dev"}}])},
        ("server spec volumes 0", {"name": "dev", "hostPath": {"path": "/opt"}}, "no volume at /dev/shm", "mandatory"),
        ("server spec containers 0 volumeMounts 0 mountPath", "/devices", "no volume at /dev/shm", "mandatory"),
    ),
    case(
        "NCCL-310",
        {
            "server": v.manifest(
                "v1",
                "Pod",
                "x",
                "team",
                annotations={SHM_SIZE: "64Gi"},
                spec={"containers": [v.server(2, volumeMounts=[])]},
            )
        },
        ("server metadata annotations", {"other": "64Gi"}, "no volume at /dev/shm", "mandatory"),
    ),
    case(
        "NCCL-311",
        {
            "server": pod(
                v.server(2, resources={"limits": {"nvidia.com/gpu": 2}}),
                volumes=[{"name": "shm", "emptyDir": {"medium": "Memory"}}],
            )
        },
        ("server spec containers 0 resources limits memory", "64Gi", "shm has no sizeLimit", "advisory"),
    ),
    case(
        "NCCL-312",
        {
            "server": pod(
                v.server(2, resources={"limits": {"nvidia.com/gpu": 2}, "requests": {"cpu": "1", "memory": "8Gi"}})
            )
        },
        ("server spec containers 0 resources limits memory", "16Gi", "memory request 8Gi and limit 16Gi", "advisory"),
    ),
    case(
        "NCCL-312",
        {"server": pod(v.server(2, resources={"limits": {"nvidia.com/gpu": 2, "cpu": "8"}, "requests": {"cpu": "1"}}))},
    ),
]
CASES = [*SERVING, *NETWORK, *TRAINING, *NCCL]
