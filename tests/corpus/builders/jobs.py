"""Jobs that run: every kind, on every fabric, with and without a queue, and with the habits of their launchers."""

from collections.abc import Iterator
from typing import Any

from tests.corpus.builders.parts import FABRICS, Doc, container, manifest, pod

Named = tuple[str, list[Doc]]
NODES = (1, 2, 4)
LAUNCH = ["torchrun", "--nproc_per_node=8"]


def _replicas(framework: tuple[str, str, str], nodes: int, fabric: str, shm: str) -> Doc:
    kind, key, name = framework
    command = [*LAUNCH, f"--nnodes={nodes}", "train.py"] if kind == "PyTorchJob" else ["python", "train.py"]
    template = pod(container(name, command, 8, fabric), shm, fabric)
    return manifest(
        "kubeflow.org/v1", kind, "train", "ml", spec={key: {"Worker": {"replicas": nodes, "template": template}}}
    )


def pytorch(nodes: int, fabric: str, shm: str) -> Doc:
    return _replicas(("PyTorchJob", "pytorchReplicaSpecs", "pytorch"), nodes, fabric, shm)


def tensorflow(nodes: int, fabric: str, shm: str) -> Doc:
    return _replicas(("TFJob", "tfReplicaSpecs", "tensorflow"), nodes, fabric, shm)


def jax(nodes: int, fabric: str, shm: str) -> Doc:
    return _replicas(("JAXJob", "jaxReplicaSpecs", "jax"), nodes, fabric, shm)


def indexed(nodes: int, fabric: str, shm: str) -> Doc:
    template = pod(container("main", [*LAUNCH, f"--nnodes={nodes}", "train.py"], 8, fabric), shm, fabric)
    spec = {"completionMode": "Indexed", "completions": nodes, "parallelism": nodes, "template": template}
    return manifest("batch/v1", "Job", "ranks", "ml", spec=spec)


def job_set(nodes: int, fabric: str, shm: str) -> Doc:
    template = pod(container("main", [*LAUNCH, f"--nnodes={nodes}", "train.py"], 8, fabric), shm, fabric)
    job = {"parallelism": nodes, "completions": nodes, "template": template}
    return manifest(
        "jobset.x-k8s.io/v1alpha2",
        "JobSet",
        "set",
        "ml",
        spec={"replicatedJobs": [{"name": "ranks", "template": {"spec": job}}]},
    )


def volcano(nodes: int, fabric: str, shm: str) -> Doc:
    template = pod(container("main", ["python", "train.py"], 8, fabric), shm, fabric)
    tasks = [{"name": "ranks", "replicas": nodes, "template": template}]
    return manifest(
        "batch.volcano.sh/v1alpha1",
        "Job",
        "gang",
        "ml",
        spec={"minAvailable": nodes, "schedulerName": "volcano", "tasks": tasks},
    )


def mpi(nodes: int, fabric: str, shm: str, slots: int = 8, *command: str) -> Doc:
    line = list(command) or [
        "mpirun",
        "-np",
        str(nodes * 8),
        "-x",
        "NCCL_SOCKET_IFNAME=eth0",
        "all_reduce_perf",
        "-b",
        "8",
    ]
    specs = {
        "Launcher": {"replicas": 1, "template": pod(container("launcher", line), "none")},
        "Worker": {
            "replicas": nodes,
            "template": pod(container("worker", ["/usr/sbin/sshd", "-De"], 8, fabric), shm, fabric),
        },
    }
    return manifest(
        "kubeflow.org/v2beta1", "MPIJob", "tests", "ml", spec={"slotsPerWorker": slots, "mpiReplicaSpecs": specs}
    )


def ray(nodes: int, fabric: str, shm: str) -> Doc:
    """KubeRay mounts shared memory itself."""
    head = {"rayStartParams": {}, "template": pod(container("ray-head", ["ray"]), "none")}
    group = {
        "groupName": "gpus",
        "replicas": nodes,
        "template": pod(container("ray-worker", ["ray"], 8, fabric), shm, fabric),
    }
    return manifest("ray.io/v1", "RayCluster", "ray", "ml", spec={"headGroupSpec": head, "workerGroupSpecs": [group]})


def group(nodes: int, fabric: str, shm: str) -> Doc:
    """One group: its leader runs another program than those that join."""
    leader = pod(container("leader", ["python", "serve.py", "--role", "leader"], 8, fabric), shm, fabric)
    worker = pod(container("worker", ["python", "join.py", "--to", "$(LWS_LEADER_ADDRESS)"], 8, fabric), shm, fabric)
    parts = {"size": nodes, "leaderTemplate": leader, "workerTemplate": worker}
    return manifest(
        "leaderworkerset.x-k8s.io/v1",
        "LeaderWorkerSet",
        "group",
        "ml",
        spec={"replicas": 1, "leaderWorkerTemplate": parts},
    )


KINDS = (pytorch, tensorflow, jax, indexed, job_set, volcano, mpi, ray, group)


def _sizes() -> Iterator[Named]:
    for make in KINDS:
        for fabric in FABRICS:
            for nodes, shm in zip(NODES, ("none", "memory", "host"), strict=True):
                yield f"{make.__name__}-{fabric}-{nodes}", [make(nodes, fabric, shm)]


def _launchers() -> Iterator[Named]:
    """Habits that look like mistakes."""
    per_node = ("mpirun", "-np", "2", "-N", "1", "torchrun", "--nproc_per_node=8", "train.py")
    yield "one torchrun a node under mpirun", [mpi(2, "none", "none", 1, *per_node)]
    yield "fewer ranks than slots", [mpi(2, "none", "none", 8, "mpirun", "-np", "2", "nvbandwidth")]
    yield "no ranks but a script", [mpi(2, "shared", "memory", 8, "bash", "-xc", "mpirun -np $NP train")]
    for fabric in FABRICS:
        yield (
            f"exported variables on {fabric}",
            [mpi(2, fabric, "none", 8, "mpirun", "-x", "NCCL_IB_GID_INDEX=3", "-np", "16", "train")],
        )
    cpu = mpi(2, "none", "none", 192, "mpirun", "-np", "2", "xhpl")
    del cpu["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]["resources"]
    yield "Linpack on processors", [cpu]
    for number, shell in enumerate(
        (["bash", "-xc"], ["bash", "-euxo", "pipefail", "-c"], ["sh", "-c", "--"], ["/bin/bash", "-lc"])
    ):
        yield f"shell text {number}", [_plain([*shell, "torchrun --nnodes 4 --nproc_per_node 8 train.py"])]
    for rank in range(2):
        line = [*LAUNCH, "--nnodes=2", f"--node_rank={rank}", "train.py"]
        yield f"a Job for rank {rank}", [_plain(line)]
    yield "counts from outside", [{**pytorch(2, "none", "none"), "spec": _templated()}]
    gated = indexed(2, "gke", "none")
    gated["spec"]["template"]["spec"]["schedulingGates"] = [{"name": "gke.io/topology-aware-auto-train"}]
    yield "GKE's topology gates", [gated]


def _templated() -> Doc:
    template = pod(container("pytorch", ["torchrun", "--nnodes=2", "train.py"], 8), "none")
    return {"pytorchReplicaSpecs": {"Worker": {"replicas": "${NODES}", "template": template}}}


def _plain(command: list[str], **spec: Any) -> Doc:
    return manifest(
        "batch/v1", "Job", "once", "ml", spec={"template": pod(container("main", command, 8), "none", **spec)}
    )


def _roles() -> Iterator[Named]:
    trainer = job_set(2, "none", "none")
    rollout = job_set(1, "none", "none")["spec"]["replicatedJobs"][0]
    command = rollout["template"]["spec"]["template"]["spec"]["containers"][0]
    command["command"] = ["python", "rollout.py"]
    trainer["spec"]["replicatedJobs"].append({**rollout, "name": "rollout"})
    yield "trainer and rollout", [trainer]
    for program in ("nvbandwidth", "gpu-burn", "nvidia-smi", "dcgmproftester12"):
        yield f"{program} on all GPUs", [_plain([program])]
    mig = container("main", ["serve"])
    mig["resources"] = {"limits": {"nvidia.com/mig-1g.10gb": 2}}
    yield "two slices for two processes", [manifest("v1", "Pod", "slices", "ml", spec=pod(mig, "none")["spec"])]
    amd = container("main", ["torchrun", "train.py"], env={"NCCL_MIN_NCHANNELS": "112", "NCCL_P2P_LEVEL": "SYS"})
    amd["resources"] = {"limits": {"amd.com/gpu": 8}}
    yield "RCCL's variables", [manifest("v1", "Pod", "rccl", "ml", spec=pod(amd, "none")["spec"])]


def _trainer() -> Iterator[Named]:
    api = "trainer.kubeflow.org/v1alpha1"
    for nodes in (1, 3):
        for resources in ({"requests": {"cpu": "5"}}, {"limits": {"nvidia.com/gpu": 4}}):
            trainer = {"numNodes": nodes, "image": "registry.example/train:1", "resourcesPerNode": resources}
            yield (
                f"TrainJob {nodes} {next(iter(resources))}",
                [
                    manifest(
                        api,
                        "TrainJob",
                        "job",
                        "ml",
                        spec={"runtimeRef": {"name": "torch-distributed"}, "trainer": trainer},
                    )
                ],
            )
    template = pod(
        container("node", ["torchrun", "train.py"], 8),
        "none",
        volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
    )
    step = {"metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}}
    replicated = [{"name": "node", "template": {**step, "spec": {"template": template}}}]
    runtime = manifest(
        api,
        "ClusterTrainingRuntime",
        "shared",
        spec={"mlPolicy": {"numNodes": 2}, "template": {"spec": {"replicatedJobs": replicated}}},
    )
    claim = manifest(
        "v1",
        "PersistentVolumeClaim",
        "data",
        "team",
        spec={"accessModes": ["ReadWriteMany"], "storageClassName": "nfs"},
    )
    yield "a cluster-wide runtime and a team's claim", [runtime, claim]
    old = manifest(
        "kubeflow.org/v2alpha1",
        "ClusterTrainingRuntime",
        "old",
        spec={
            "template": {
                "spec": {"replicatedJobs": [{"name": "trainer-node", "template": {"spec": {"template": template}}}]}
            }
        },
    )
    yield "a runtime of an older API", [old]


def manifests() -> Iterator[Named]:
    """All of them, each with its name."""
    yield from _sizes()
    yield from _launchers()
    yield from _roles()
    yield from _trainer()
