"""Pod templates and multi-node jobs, found in every kind that carries them.

Definitions: a pod template is the pod spec of a Pod, Deployment, StatefulSet, DaemonSet, Job, CronJob, JobSet, Kubeflow
job, MPIJob, TrainJob, TrainingRuntime, LeaderWorkerSet, Volcano Job or Ray cluster, whose size we know, and any pod
spec in another kind, of which we know what it says and no more. A workload is multi-node when pods of it that use GPUs
must run side by side on more than one node.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from bedplate.components.workload.controllers import CONTROLLERS
from bedplate.components.workload.kinds import KINDS as JOB_KINDS
from bedplate.components.workload.kinds import Kind
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import COMMUNICATION, Pod
from bedplate.policies.resources.templates import declared, found_in, templated
from bedplate.policies.values import UNKNOWN, Tree, dig, integer, text, tree, trees, whole

ANCESTOR = "trainer.kubeflow.org/trainjob-ancestor-step"
V1 = CONTROLLERS["trainingOperator"].kinds
"""Kubeflow's jobs before the Trainer."""
FINITE = {row.object for row in JOB_KINDS.values() if not row.serves} | {"CronJob", *V1}
"""Kinds that run to an end, as opposed to servers."""


@dataclass(frozen=True)
class Workload:
    """All pods of one object."""

    resource: Resource
    pods: tuple[Pod, ...]
    nodes: int
    """Pods that run side by side and belong together; 1 where that is not known."""

    @property
    def title(self) -> str:
        """What a message calls it."""
        return self.resource.title

    @cached_property
    def kind(self) -> str:
        """Its kind, where we read it as its project means it; empty for a namesake of another API group."""
        return self.resource.kind if _read(self.resource) else ""

    @cached_property
    def gpu_pods(self) -> tuple[Pod, ...]:
        """The pods that use GPUs."""
        return tuple(pod for pod in self.pods if pod.gpus)

    @cached_property
    def multi_node(self) -> bool:
        """Whether GPUs of more than one node work together here."""
        return self.nodes > 1 and (bool(self.gpu_pods) or self.resource.kind == "TrainJob")

    @cached_property
    def known(self) -> bool:
        """Whether everything that decides its size is known: all but the variables of its containers."""
        completed = any(pod.completed for pod in self.pods)
        return not completed and whole(self.resource.at("spec"), besides="env")

    @cached_property
    def counted(self) -> bool:
        """Whether the number of each pod is plain: `${NODES}` is filled in later."""
        return all(integer(pod.replicas) is not None for pod in self.pods)

    @property
    def finite(self) -> bool:
        """Whether it ends when its work is done."""
        return self.resource.kind in FINITE

    @cached_property
    def queue(self) -> str:
        """The Kueue queue that it waits in."""
        label = "kueue.x-k8s.io/queue-name"
        labels = [self.resource.labels, *(pod.labels for pod in self.pods)]
        return next((text(found[label]) for found in labels if label in found), "")


Found = Iterator[Pod]
Devices = Mapping[tuple[str, str], int]
"""GPUs that a claim template asks for, by namespace and name."""


def workload_of(
    resource: Resource, devices: Devices | None = None, fabric: frozenset[str] = frozenset()
) -> Workload | None:
    """The workload that a resource is, if it carries pod templates.

    `devices` says what its claims bring, `fabric` by which names of the site's own pods ask for HCAs.
    """
    find = READERS.get((resource.group, resource.kind), found_in)
    named = (replace(pod, fabric=fabric) if fabric else pod for pod in find(resource))
    pods = tuple(_claiming(pod, devices) if devices else pod for pod in named)
    return Workload(resource, pods, _nodes(resource, pods)) if pods else None


def _claiming(pod: Pod, devices: Devices) -> Pod:
    """A pod with the GPUs that its claims bring."""
    names = (text(each.get("resourceClaimTemplateName")) for each in trees(pod.spec.get("resourceClaims")))
    claimed = sum(devices.get((pod.resource.namespace, name), 0) for name in names)
    return replace(pod, claimed=claimed) if claimed else pod


def _pod(resource: Resource) -> Found:
    yield from templated(resource, {"spec": resource.props.get("spec")})


def _controller(resource: Resource) -> Found:
    yield from templated(resource, resource.spec.get("template"), replicas=_one(resource.spec.get("replicas")))


def _job(resource: Resource) -> Found:
    yield from templated(resource, resource.spec.get("template"), replicas=_one(resource.spec.get("parallelism")))


def _cron_job(resource: Resource) -> Found:
    yield from templated(resource, dig(resource.spec, "jobTemplate", "spec", "template"))


def _runtime(resource: Resource) -> Found:
    """The trainer gives the replicated Job as many pods as the policy has nodes."""
    nodes = _one(dig(resource.spec, "mlPolicy", "numNodes"))
    for pod in declared(resource):
        yield replace(pod, replicas=_times(pod.replicas, nodes))


def _mpi_job(resource: Resource) -> Found:
    """The launcher runs no rank of its own: its communication variables are for the workers, with -x or without."""
    pods = list(declared(resource))
    launchers = [pod for pod in pods if pod.role == "Launcher" and not pod.gpus]
    handed = {key: value for pod in launchers for key, value in pod.env.items() if COMMUNICATION.match(key)}
    for pod in pods:
        yield replace(pod, coordinates=True) if pod in launchers else replace(pod, inherited=handed)


def _train_job(resource: Resource) -> Found:
    trainer = tree(resource.spec.get("trainer"))
    container: Tree = {**trainer, "name": "node", "resources": trainer.get("resourcesPerNode")}
    replicas = _one(trainer.get("numNodes"))
    yield Pod(resource, {"containers": [container]}, role="trainer", replicas=replicas, partial=True)


def _leader_worker_set(resource: Resource) -> Found:
    yield from _group(resource, resource.spec)


def _group(resource: Resource, spec: Tree) -> Found:
    group = tree(spec.get("leaderWorkerTemplate"))
    size = integer(group.get("size"))
    if "leaderTemplate" in group:
        yield from templated(resource, group.get("leaderTemplate"), "leader")
        size = size - 1 if size else None
    yield from templated(resource, group.get("workerTemplate"), "worker", UNKNOWN if size is None else size)


def _disaggregated_set(resource: Resource) -> Found:
    for role in trees(resource.spec.get("roles")):
        for pod in _group(resource, tree(role.get("spec"))):
            yield replace(pod, role=f"{text(role.get('name'))} {pod.role}")


PAIRS = "disaggregatedset.x-k8s.io"
OURS: dict[Kind, Callable[[Resource], Found]] = {
    "PyTorchJob": declared,
    "TrainJob": _train_job,
    "MPIJob": _mpi_job,
    "JobSet": declared,
    "Job": _job,
    "VolcanoJob": declared,
    "LeaderWorkerSet": _leader_worker_set,
    "RayJob": declared,
}
READERS: dict[tuple[str, str], Callable[[Resource], Found]] = {
    ("core", "Pod"): _pod,
    **{("apps", kind): _controller for kind in ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")},
    ("batch", "CronJob"): _cron_job,
    (PAIRS, "DisaggregatedSet"): _disaggregated_set,
    **{(CONTROLLERS["trainer"].group, kind): _runtime for kind in ("TrainingRuntime", "ClusterTrainingRuntime")},
    **{(CONTROLLERS["trainingOperator"].group, kind): declared for kind in V1},
    **{(CONTROLLERS["kuberay"].group, kind): declared for kind in CONTROLLERS["kuberay"].kinds},
    **{(JOB_KINDS[kind].group, JOB_KINDS[kind].object): read for kind, read in OURS.items()},
}


def _read(resource: Resource) -> bool:
    return (resource.group, resource.kind) in READERS


TOGETHER = {"JobSet", "TrainJob", "LeaderWorkerSet", *V1}


def _nodes(resource: Resource, pods: tuple[Pod, ...]) -> int:
    """How many pods must run side by side, by the definition of each kind."""
    if not _read(resource):
        return 1
    if resource.kind == "MPIJob":
        return max([integer(pod.replicas) or 1 for pod in pods if pod.role == "Worker"], default=1)
    indexed = resource.group == "batch" and resource.spec.get("completionMode") == "Indexed"
    if resource.kind in TOGETHER or resource.group == "batch.volcano.sh" or indexed:
        counted = [pod for pod in pods if pod.gpus or pod.partial] if resource.kind != "PyTorchJob" else pods
        return sum(integer(pod.replicas) or 1 for pod in counted or pods)
    return 1


def _one(count: object) -> object:
    return 1 if count is None else count


def _times(left: object, right: object) -> object:
    one, other = integer(left), integer(right)
    return UNKNOWN if one is None or other is None else one * other
