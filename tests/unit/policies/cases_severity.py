"""What decides how grave a case is: proven from what is in front of us, or a hint."""

from typing import Any

from tests.unit.policies import valid as v
from tests.unit.policies.case import GONE, case

NETWORKS = "k8s.v1.cni.cncf.io/networks"
SPECS = "job spec pytorchReplicaSpecs"
WORKER = f"{SPECS} Worker template spec"
GPUS = {"limits": {"nvidia.com/gpu": 8}}


def pod(*containers: v.Doc, place: str = "team", **spec: Any) -> v.Doc:
    return v.manifest("v1", "Pod", "x", place, spec={"containers": list(containers), **spec})


def asking(*command: str, **limits: object) -> v.Doc:
    wanted = {key.replace("__", "/").replace("_", "."): count for key, count in limits.items()}
    return {"name": "main", "image": "registry.example/a:1", "command": list(command), "resources": {"limits": wanted}}


def unqueued(doc: v.Doc, **more: Any) -> v.Doc:
    return {**doc, "metadata": {"name": doc["metadata"]["name"], "namespace": "team", **more}}


def named(name: str, doc: v.Doc) -> v.Doc:
    return unqueued({**doc, "metadata": {"name": name}})


def marked(doc: v.Doc) -> v.Doc:
    """Called, labelled and annotated as a benchmark, which everyone can write."""
    marks = {"labels": {"team": "benchmarking"}, "annotations": {"site.example/nccl-tuned": "measures the fabric"}}
    return {**doc, "metadata": {"name": "nccl-tests", "namespace": "team", **marks}}


def mpi(*command: str, slots: int = 8) -> v.Doc:
    job = v.mpi_job()
    job["spec"]["slotsPerWorker"] = slots
    job["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]["command"] = list(command)
    return job


def node_policy(name: str, **selector: Any) -> v.Doc:
    spec = {"resourceName": name, "nicSelector": selector}
    return v.manifest("sriovnetwork.openshift.io/v1", "SriovNetworkNodePolicy", name, spec=spec)


def in_ranks(**container: Any) -> v.Doc:
    """An Indexed Job that meets through its Service."""
    job = v.indexed_job()
    job["spec"]["template"]["spec"]["containers"][0].update(container)
    return job


def of_nodes(replicas: int, *command: str, parts: int = 1) -> v.Doc:
    """A JobSet with one role of so many pods, and others beside it."""
    job = v.job_set()
    first = job["spec"]["replicatedJobs"][0]
    first["template"]["spec"].update(parallelism=replicas, completions=replicas)
    first["template"]["spec"]["template"]["spec"]["containers"][0]["command"] = list(command)
    actor = v.job_set()["spec"]["replicatedJobs"][0]
    actor["template"]["spec"]["template"]["spec"]["containers"][0]["command"] = ["serve"]
    job["spec"]["replicatedJobs"] += [{**actor, "name": f"actor{number}"} for number in range(parts - 1)]
    return job


def alone(name: str, annotations: v.Doc | None = None, **spec: Any) -> v.Doc:
    """A job of two pods in no queue."""
    one = {"metadata": {"annotations": annotations or {}}, "spec": {**v.pod_spec(), **spec}}
    return named(name, v.pytorch_job(pytorchReplicaSpecs={"Worker": {"replicas": 2, "template": one}}))


def workers(replicas: object, *command: str) -> v.Doc:
    template = v.template(v.pod_spec(v.container(command=list(command))))
    return v.pytorch_job(pytorchReplicaSpecs={"Worker": {"replicas": replicas, "template": template}})


def one_rank(*command: str) -> v.Doc:
    spec = in_ranks(command=list(command))["spec"]
    return {**spec, "completionMode": "NonIndexed", "completions": 1, "parallelism": 1}


def on_processors(ranks: int) -> v.Doc:
    """An MPIJob without GPUs."""
    job = named("cpu", mpi("mpirun", "-np", str(ranks), "./solve", slots=4))
    worker = {"containers": [{"name": "worker", "command": ["sshd"]}]}
    job["spec"]["mpiReplicaSpecs"]["Worker"]["template"] = v.template(worker)
    return job


def trained(leader: str, worker: str, lead: v.Doc | None = None) -> v.Doc:
    """A group that trains, by the command lines of its two roles."""
    parts = {
        key: {"spec": {"containers": [{**asking(*line.split()), "resources": {"limits": limits}}]}}
        for key, line, limits in (
            ("leaderTemplate", leader, lead or {"nvidia.com/gpu": 8}),
            ("workerTemplate", worker, {"nvidia.com/gpu": 8}),
        )
    }
    spec = {"replicas": 1, "leaderWorkerTemplate": {"size": 2, **parts}}
    return v.manifest("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "llama", "team", spec=spec)


def named_runtime(name: str) -> v.Doc:
    step = {"metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}}
    job = {"name": "node", "template": {**step, "spec": {"template": v.template()}}}
    spec = {"template": {"spec": {"replicatedJobs": [job]}}}
    return v.manifest("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime", name, spec=spec)


def namespaced_runtime() -> v.Doc:
    runtime = {**named_runtime("x"), "kind": "TrainingRuntime"}
    return {**runtime, "metadata": {"name": "x", "namespace": "team"}}


ABOVE = "one spec pytorchReplicaSpecs Worker template"
ONE = f"{ABOVE} spec"
SERVER = "server spec containers 0"
GROUP = "group spec leaderWorkerTemplate"
SET = "set spec replicatedJobs 0 template spec template spec containers 0"
LABELS = "runtime spec template spec replicatedJobs 0 template metadata labels"
CONFIG = "kueue helmRelease values managerConfig controllerManagerConfigYaml"
PROVISIONED = "autoscaling.x-k8s.io/consume-provisioning-request"
DEFAULT = v.manifest("kueue.x-k8s.io/v1beta2", "LocalQueue", "default", "team", spec={"clusterQueue": "gpus"})

CASES = [
    case(
        "GPU-115",
        {"pod": pod(asking("serve", nvidia_com__mig="x"))},
        ("pod spec containers 0 resources limits", {"nvidia.com/mig-1g.10gb": 2}, "asks for 2", "advisory"),
        (
            "pod spec containers 0 resources limits",
            {"nvidia.com/mig-1g.10gb": 1, "nvidia.com/mig-2g.20gb": 1},
            "asks for 1 nvidia.com/mig-2g.20gb",
            "mandatory",
        ),
        (
            "pod spec containers 0",
            {"command": ["torchrun", "a.py"], "resources": {"limits": {"nvidia.com/mig-1g.10gb": 2}}},
            "asks for 2 nvidia.com/mig-1g.10gb",
            "mandatory",
        ),
    ),
    case(
        "GPU-120",
        {"operator": v.gpu_operator(), "namespace": v.namespace("gpu-operator"), "facts": {"platform": "kubeadm"}},
        ("namespace metadata labels", {}, "label is missing", "advisory"),
        ("namespace metadata labels pod-security.kubernetes.io/enforce", "baseline", "is baseline", "mandatory"),
    ),
    case(
        "GPU-120",
        {"operator": v.gpu_operator(), "namespace": v.namespace("gpu-operator"), "facts": {"platform": "talos"}},
        ("namespace metadata labels", {}, "label is missing", "mandatory"),
    ),
    case(
        "GPU-124",
        {"pod": pod(asking("a"), nodeSelector={"nvidia.com/gpu.product": "NVIDIA-L4"})},
        ("pod spec nodeSelector nvidia.com/gpu.product", "NVIDIA-H100-SXM", "is no product label", "advisory"),
    ),
    case(
        "GPU-124",
        {
            "pod": pod(asking("a"), nodeSelector={"nvidia.com/gpu.product": "NVIDIA-L4"}),
            "facts": {"pools": [v.pool()]},
        },
        ("pod spec nodeSelector nvidia.com/gpu.product", "NVIDIA-H100-SXM", "is no product label", "mandatory"),
    ),
    case(
        "NET-202",
        {"policy": v.nic_policy(nvIpam={"image": "ipam"})},
        ("policy spec nvPeerDriver", {"deploy": True}, "spec.nvPeerDriver is gone from the CRD", "advisory"),
        ("policy spec nvIpam deploy", True, "spec.nvIpam.deploy is not in the CRD", "mandatory"),
        ("policy spec psp", {"enabled": True}, "spec.psp is gone from the CRD", "advisory"),
        ("policy spec fromTomorrow", {"image": "new"}, "spec.fromTomorrow is not in the CRD", "advisory"),
    ),
    case(
        "NET-203",
        {"policy": v.nic_policy(rdmaSharedDevicePlugin=v.shared_plugin(ifNames=["ib0"], vendors=["15b3"]))},
        ("other", node_policy("a", vendor="15b3"), "select the same NICs", "mandatory"),
        ("other", node_policy("a", vendor="15b3", pfNames=["ib0"], deviceID="1021"), "the same NICs", "mandatory"),
        ("other", node_policy("a", vendor="15b3", deviceID="1021"), "select the same NICs", "advisory"),
    ),
    case(
        "NET-204",
        {"pod": pod(asking("a", rdma__fabric=1)), "facts": {"rdmaResources": {"rdma/fabric": 1}}},
        ("pod spec containers 0 resources limits rdma/fabrik", 1, "asks for rdma/fabrik", "mandatory"),
        complete=False,
    ),
    case(
        "NET-204",
        {"pod": pod(asking("a", rdma__a=1)), "policy": v.nic_policy(rdmaSharedDevicePlugin=v.shared_plugin("a"))},
        ("pod spec containers 0 resources limits rdma/b", 1, "asks for rdma/b", "advisory"),
        complete=False,
    ),
    case(
        "NET-206",
        {
            "rail": v.network("rail", "team", {"type": "host-device"}, "nvidia.com/hostdev"),
            "pod": v.manifest(
                "v1",
                "Pod",
                "x",
                "team",
                annotations={NETWORKS: "rail,rail"},
                spec={"containers": [asking("a", nvidia_com__hostdev=2)]},
            ),
        },
        ("pod spec containers 0 resources limits nvidia.com/hostdev", 1, "requests 1", "mandatory"),
        ("pod spec containers 0 resources limits nvidia.com/hostdev", 0, "requests 0", "advisory"),
        ("pod spec containers 0 resources limits nvidia.com/hostdev", 3, "requests 3", "advisory"),
    ),
    case(
        "NET-206",
        {"named": v.network("named", "team", {"type": "host-device", "device": "ens9"})},
        (
            "named spec config",
            '{"cniVersion": "0.3.1", "type": "host-device"}',
            "is host-device and names no resource",
        ),
    ),
    case(
        "NET-210",
        {"net": v.network("net", "team", {"type": "macvlan", "master": "ens9"})},
        ("net spec config", '{"type": "macvlan", "master": "ens9"}', "has no cniVersion", "advisory"),
        ("net spec config", '{"cniVersion": "1.0.0", "type": "macvlan"}', "macvlan has no master", "advisory"),
        ("net spec config", "{", "is no JSON", "mandatory"),
    ),
    case(
        "NET-217",
        {"pod": pod({**v.container(), "name": "main"}), "facts": {"memlockUnlimited": False}},
        ("pod spec containers 0 securityContext", {}, "asks for rdma/fabric without IPC_LOCK", "mandatory"),
    ),
    case(
        "NET-217",
        {"pod": pod({**v.container(), "name": "main"})},
        ("pod spec containers 0 securityContext", {}, "asks for rdma/fabric without IPC_LOCK", "advisory"),
    ),
    case(
        "NET-219",
        {"pod": pod(v.container()), "namespace": v.namespace("team")},
        ("namespace metadata labels pod-security.kubernetes.io/enforce", "baseline", "team: baseline", "mandatory"),
    ),
    case(
        "NET-219",
        {"pod": pod(v.container(securityContext={"privileged": True})), "namespace": v.namespace("team")},
        ("namespace metadata labels pod-security.kubernetes.io/enforce", "restricted", "restricted", "mandatory"),
    ),
    case(
        "NET-219",
        {"pod": pod(v.container(securityContext={})), "namespace": v.namespace("team")},
        ("namespace metadata labels pod-security.kubernetes.io/enforce", "baseline", "team: baseline", "advisory"),
    ),
    case(
        "NCCL-301",
        {"pod": pod({**asking("train", amd_com__gpu=8), "env": [{"name": "NCCL_ALGO", "value": "Ring"}]})},
        ("pod spec containers 0 resources limits", {"nvidia.com/gpu": 8}, "NCCL_ALGO is Ring", "advisory"),
    ),
    case(
        "NCCL-305",
        {"job": v.pytorch_job(pytorchReplicaSpecs={"Worker": {"replicas": 2, "template": v.template()}})},
        (
            f"{WORKER}",
            {**v.pod_spec(v.container(env=[])), "hostNetwork": True},
            "initialisation hangs. Set NCCL_SOCKET_IFNAME to the node's own interface.",
        ),
        (f"{WORKER} containers 0 env", [], "initialisation hangs. Set NCCL_SOCKET_IFNAME=eth0."),
    ),
    case(
        "NCCL-308",
        {"job": mpi("mpirun", "-np", "16", "-x", "NCCL_IB_DISABLE=0", "./train")},
        ("job", mpi("mpirun", "-np", "16", "-x", "NCCL_IB_DISABLE=1", "./train"), "Worker: NCCL_IB_DISABLE is 1"),
    ),
    case(
        "NCCL-308",
        {
            "bench": pod({**v.container(), "env": [{"name": "NCCL_NET", "value": "IB"}]}),
            "efa": pod({**asking("a"), "env": [{"name": "NCCL_IB_DISABLE", "value": "1"}]}),
        },
        (
            "bench",
            marked(pod({**v.container(), "env": [{"name": "NCCL_NET", "value": "Socket"}]})),
            "NCCL_NET is Socket",
        ),
        ("efa spec containers 0 resources limits rdma/ib", 1, "NCCL_IB_DISABLE is 1"),
    ),
    case(
        "NCCL-310",
        {
            "server": pod(v.server(2), volumes=[dict(v.SHM)]),
            "disk": pod(v.server(2), volumes=[{"name": "shm", "emptyDir": {}}]),
            "alone": pod(asking("nvbandwidth", nvidia_com__gpu=8)),
        },
        ("server spec volumes", [], "container vllm has 2 GPUs and no volume at /dev/shm", "mandatory"),
        ("server spec containers 0", v.server(1, volumeMounts=[]), "has 1 GPUs and no volume", "advisory"),
        (
            "server spec containers 0",
            v.server(1, args=["--tensor-parallel-size", "4"], volumeMounts=[]),
            "has 1 GPUs and no volume",
            "advisory",
        ),
        ("alone spec containers 0 command", ["train"], "has 8 GPUs and no volume", "advisory"),
        (
            "alone spec containers 0 command",
            ["python", "fake.py", "--tensor-parallel-size", "8"],
            "has 8 GPUs and no volume",
            "advisory",
        ),
    ),
    case(
        "NCCL-310",
        {
            "ray": v.manifest(
                "ray.io/v1",
                "RayCluster",
                "x",
                spec={
                    "headGroupSpec": {"template": {"spec": {"containers": [asking("ray", nvidia_com__gpu=8)]}}},
                },
            )
        },
        ("ray", pod(asking("ray", nvidia_com__gpu=8)), "has 8 GPUs and no volume"),
    ),
    case(
        "NCCL-313",
        {"job": v.pytorch_job(), "facts": {}},
        (
            f"{WORKER} containers 0",
            {"env": [{"name": "NCCL_IB_HCA", "value": "mlx5"}], "resources": GPUS},
            "Worker of a job over 2 nodes requests no fabric device",
            "advisory",
        ),
    ),
    case(
        "NCCL-313",
        {"job": v.pytorch_job(), "facts": {"fabric": "roce"}},
        (f"{WORKER} containers 0 resources", GPUS, "requests no fabric device", "mandatory"),
    ),
    case(
        "SCH-401",
        {"one": alone("one"), "two": alone("two"), "queue": DEFAULT, "facts": {"pools": [v.pool(nodes=3)]}},
        ("queue metadata name", "other", "2 nodes and no gang scheduling", "mandatory"),
    ),
    case(
        "SCH-401",
        {"one": alone("one"), "two": alone("two"), "queue": DEFAULT, "facts": {"pools": [v.pool(nodes=4)]}},
        ("queue metadata name", "other", "2 nodes and no gang scheduling", "advisory"),
    ),
    case(
        "SCH-401",
        {"one": alone("one"), "queue": DEFAULT, "facts": {"pools": [v.pool(nodes=1)]}},
        ("queue metadata name", "other", "2 nodes and no gang scheduling", "advisory"),
    ),
    case(
        "SCH-401",
        {"one": alone("one", schedulingGates=[{"name": "gke.io/topology-aware-auto-x"}])},
        (f"{ONE} schedulingGates", [], "no gang scheduling"),
    ),
    case("SCH-401", {"one": alone("one", workloadRef={"name": "llama"})}, (f"{ONE} workloadRef", GONE, "no gang")),
    case(
        "SCH-401",
        {"one": alone("one", annotations={PROVISIONED: "request"})},
        (f"{ABOVE} metadata annotations", {}, "no gang scheduling"),
    ),
    case(
        "SCH-401",
        {"group": unqueued(v.leader_worker_set())},
        ("group spec replicas", 2, "2 nodes and no gang scheduling", "advisory"),
    ),
    case(
        "SCH-407",
        {
            "job": v.pytorch_job(),
            "local": v.local_queue(),
            "queue": v.cluster_queue(),
            "kueue": v.kueue("resources: {transformations: [{input: nvidia.com/gpumem, strategy: Replace}]}"),
        },
        (f"{WORKER} containers 0 resources limits nvidia.com/gpucores", 1, "requests nvidia.com/gpucores", "mandatory"),
        (
            f"{WORKER} containers 0",
            asking("train", nvidia_com__gpumem=1, example_com__x=1),
            "requests example.com/x",
            "mandatory",
        ),
        complete=False,
    ),
    case(
        "SCH-407",
        {"job": v.pytorch_job(), "local": v.local_queue(), "queue": v.cluster_queue()},
        (f"{WORKER} containers 0 resources limits nvidia.com/gpucores", 1, "requests nvidia.com/gpucores", "advisory"),
        complete=False,
    ),
    case(
        "SCH-411",
        {"kueue": v.kueue("manageJobsWithoutQueueName: false")},
        (CONFIG, "manageJobsWithoutQueueName: true", "is true without managedJobsNamespaceSelector", "advisory"),
    ),
    case(
        "SCH-411",
        {
            "kueue": v.kueue("{manageJobsWithoutQueueName: true, managedJobsNamespaceSelector: {}}"),
            "volcano": v.release("volcano", "1.15.1", "volcano-system"),
        },
        (CONFIG, "manageJobsWithoutQueueName: true", "is true without managedJobsNamespaceSelector", "mandatory"),
        (CONFIG, "manageJobsWithoutQueueName: false", "no managedJobsNamespaceSelector beside", "advisory"),
    ),
    case(
        "SCH-417",
        {"pod": pod(asking("a", nvidia_com__gpu=1)), "facts": {"platform": "eks", "pools": [v.pool()]}},
        ("facts platform", "aks", "does not tolerate nvidia.com/gpu:NoSchedule"),
        ("facts pools 0 taints", [{"key": "dedicated"}], "does not tolerate dedicated:NoSchedule"),
    ),
    case(
        "TRN-503",
        {"pod": pod(asking("bash", "-xc", "torchrun --nnodes 2 a.py"), asking("sh", "-c", "--", "torchrun --x 2"))},
        ("pod spec containers 0 command", ["torchrun", "--nnodes 2"], "starts `--nnodes` and goes on", "mandatory"),
        (
            "pod spec containers 0",
            {"name": "main", "args": ["torchrun --nnodes 2 a.py"]},
            "starts `torchrun` and goes on",
            "advisory",
        ),
    ),
    case(
        "TRN-503",
        {"pod": pod(asking("python3", "-m", "vllm.entrypoints.openai.api_server", "--model=m"))},
        ("pod spec containers 0 command 3", "--model m", "starts `--model` and goes on", "advisory"),
    ),
    case(
        "TRN-504",
        {"job": workers(2, "torchrun", "--nnodes=2", "--nproc_per_node=8", "a.py")},
        (f"{WORKER} containers 0 command 1", "--nnodes=3", "--nnodes is 3, the job has 2", "mandatory"),
        (f"{WORKER} containers 0 command 1", "--nnodes=1", "--nnodes is 1, the job has 2", "advisory"),
        (f"{WORKER} containers 0 command 2", "--nproc_per_node=9", "is 9, the pod has 8 GPUs", "mandatory"),
        (f"{WORKER} containers 0 command 2", "--nproc_per_node=7", "is 7, the pod has 8 GPUs", "advisory"),
    ),
    case(
        "TRN-504",
        {"job": workers("${NODES}", "torchrun", "--nnodes=2", "a.py")},
        (f"{SPECS} Worker replicas", 1, "--nnodes is 2, the job has 1"),
    ),
    case(
        "TRN-504",
        {"set": of_nodes(4, "torchrun", "--nnodes=2", "a.py", parts=2)},
        (f"{SET} command 1", "--nnodes=3", "--nnodes is 3, the job has 6", "advisory"),
        (f"{SET} command 1", "--nnodes=8", "--nnodes is 8, the job has 6", "mandatory"),
    ),
    case(
        "TRN-504",
        {
            "single": named("single", {**v.indexed_job(), "spec": one_rank("torchrun", "--nnodes=2", "--node_rank=0")}),
            "set": of_nodes(1, "torchrun", "--nnodes=1", "a.py", parts=3),
        },
        ("single spec completionMode", "Indexed", "--nnodes is 2, the job has 1", "mandatory"),
    ),
    case(
        "TRN-504",
        {"job": in_ranks(command=["torchrun", "--nnodes=2", "a.py"])},
        ("job spec parallelism", 4, "--nnodes is 2, the job has 4", "advisory"),
    ),
    case(
        "TRN-504",
        {"job": mpi("mpirun", "-np", "16", "./train")},
        ("job", mpi("mpirun", "-np", "17", "./train"), "-np is 17, 2 workers with 8 slots make 16", "mandatory"),
        ("job", mpi("mpirun", "-np", "15", "./train"), "-np is 15", "advisory"),
        ("job", mpi("mpirun", "--oversubscribe", "-np", "17", "./train"), "-np is 17", "advisory"),
        ("job", mpi("mpirun", "-np", "2", "./train", slots=1), "slotsPerWorker is 1, a worker has 8 GPUs", "advisory"),
    ),
    case(
        "TRN-504",
        {"job": mpi("mpirun", "-np", "2", "torchrun", "--nproc_per_node=8", "a.py", slots=1), "cpu": on_processors(4)},
        ("job", mpi("mpirun", "-np", "2", "./train", slots=1), "slotsPerWorker is 1"),
        ("cpu", on_processors(9), "-np is 9, 2 workers with 4 slots make 8", "mandatory"),
    ),
    case(
        "TRN-505",
        {"job": in_ranks(), "service": v.headless()},
        ("service spec publishNotReadyAddresses", False, "does not publish the addresses", "advisory"),
    ),
    case(
        "TRN-505",
        {"job": in_ranks(readinessProbe={"exec": {}}), "service": v.headless()},
        ("service spec publishNotReadyAddresses", False, "does not publish the addresses", "mandatory"),
    ),
    case(
        "TRN-507",
        {
            "group": trained("leader.sh", "worker.py --role worker", lead={"nvidia.com/gpu": 4}),
            "joined": trained("torchrun a.py --lr 1", "join.py --lr 2"),
        },
        (
            f"{GROUP} workerTemplate spec containers 0 image",
            "registry.example/b:1",
            "leader and worker differ in image",
        ),
        ("group", trained("torchrun a.py --lr 1", "torchrun a.py --lr 2"), "differ in the script's arguments"),
        (
            "group",
            trained("torchrun a.py", "torchrun a.py", lead={"nvidia.com/gpu": 4}),
            "leader and worker differ in resources",
        ),
    ),
    case(
        "TRN-507",
        {"job": v.pytorch_job()},
        (f"{WORKER} containers 0 command 5", "2e-4", "Master and Worker differ in the script's arguments", "advisory"),
    ),
    case(
        "TRN-511",
        {"claim": v.claim("dataset", "team")},
        ("claim spec storageClassName", "", "asks for a volume made by hand", "mandatory"),
    ),
    case(
        "TRN-511",
        {"claim": v.claim("dataset", "team")},
        ("claim spec storageClassName", "", "asks for a volume made by hand", "advisory"),
        complete=False,
    ),
    case(
        "TRN-511",
        {"job": v.pytorch_job(), "claim": {**v.claim("checkpoints", "x"), "metadata": {"name": "checkpoints"}}},
        ("claim metadata namespace", "x", "mounts claim checkpoints, which is not in team"),
        complete=False,
    ),
    case(
        "TRN-511",
        {
            "runtime": {**namespaced_runtime(), "kind": "ClusterTrainingRuntime"},
            "claim": v.claim("checkpoints", "other"),
        },
        ("runtime", namespaced_runtime(), "mounts claim checkpoints, which is not in team"),
        complete=False,
    ),
    case(
        "TRN-511",
        {"job": {**v.pytorch_job(), "metadata": {"name": "x"}}, "claim": v.claim("checkpoints", "other")},
        ("job metadata namespace", "team", "mounts claim checkpoints, which is not in team"),
        complete=False,
    ),
    case(
        "TRN-515",
        {"job": v.train_job(resourcesPerNode=dict(GPUS)), "runtime": named_runtime("torch-distributed")},
        ("job spec trainer resourcesPerNode limits", {"cpu": "4"}, "has no nvidia.com/gpu, its runtime has"),
    ),
    case(
        "TRN-516",
        {"runtime": named_runtime("own"), "facts": {"platform": "eks"}},
        (LABELS, {}, "no replicated job has the label", "mandatory"),
    ),
    case("TRN-516", {"runtime": named_runtime("own")}, (LABELS, {}, "no replicated job has the label", "advisory")),
    case(
        "TRN-517",
        {"job": v.pytorch_job(), "mpi": v.mpi_job(), "cpu": unqueued(on_processors(4), labels=dict(v.QUEUED))},
        ("job spec runPolicy cleanPodPolicy", GONE, "cleanPodPolicy is not set with queue training", "advisory"),
        ("mpi spec runPolicy cleanPodPolicy", GONE, "cleanPodPolicy is not set with queue training", "mandatory"),
        ("cpu spec runPolicy", {}, "cleanPodPolicy is not set with queue training", "advisory"),
    ),
    case(
        "NCCL-311",
        {"pod": pod(v.server(2), volumes=[{"name": "shm", "emptyDir": {"medium": "HugePages"}}])},
        ("pod spec volumes 0 emptyDir medium", "Memory", "container vllm: /dev/shm has no sizeLimit"),
    ),
    case(
        "INF-602",
        {"server": pod(v.server(4, args=["vllm", "serve", "org/Model-70B-Instruct"]))},
        (f"{SERVER} startupProbe", {"periodSeconds": 10, "failureThreshold": 3}, "the start takes 32 s", "mandatory"),
        (f"{SERVER} startupProbe", {"periodSeconds": 10, "failureThreshold": 10}, "gives up after 100 s", "advisory"),
        (f"{SERVER} startupProbe", {}, "after 30 s"),
    ),
    case(
        "INF-602",
        {"server": pod({**v.server(4), "startupProbe": None, "livenessProbe": None})},
        (f"{SERVER} livenessProbe", {"periodSeconds": 9}, "livenessProbe gives up after 27 s, the start", "mandatory"),
        (f"{SERVER} livenessProbe", {"initialDelaySeconds": 569}, "livenessProbe gives up after 599 s", "advisory"),
    ),
    case(
        "INF-609",
        {
            "server": pod(v.server()),
            "knative": v.manifest("serving.knative.dev/v1", "Service", "vllm", "team", spec={}),
            "own": v.manifest("v1", "Service", "vllm-dp-master", "elsewhere", spec={}),
        },
        ("own metadata namespace", "team", "Service vllm-dp-master sets VLLM_DP_MASTER_PORT"),
        ("knative", v.manifest("v1", "Service", "vllm", "team", spec={}), "Service vllm sets VLLM_PORT"),
    ),
    case(
        "INF-609",
        {
            "server": pod(v.server(env=[{"name": "VLLM_PORT", "value": "9000"}])),
            "service": v.manifest("v1", "Service", "vllm", "team", spec={}),
        },
        (f"{SERVER} env", [], "Service vllm sets VLLM_PORT"),
    ),
    case(
        "STO-701",
        {"class": v.manifest("storage.k8s.io/v1", "StorageClass", "x", provisioner="ebs.csi.aws.com")},
        ("class provisioner", "lustre.csi.io", "no driver that we know is called lustre.csi.io", "mandatory"),
        ("class provisioner", "files.example.com", "no driver that we know is called files", "advisory"),
    ),
]
