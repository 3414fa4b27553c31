"""How a job asks its scheduler to start it whole, in its team's queue, with its nodes near to each other.

Exactly one of Kueue, Volcano and KAI is asked, in the one way that works for the kind of job: asking twice would count
its quota twice, or hold it back for ever (volcano-sh/volcano#2143, #2304).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bedplate.components.facts import Scheduler, Topology
from bedplate.components.marks import marks
from bedplate.components.workload.contract import QUEUE_KEYS, Contract
from bedplate.components.workload.job import TrainingJob
from bedplate.components.workload.kinds import KINDS, Kind


@dataclass(frozen=True)
class Gang:
    """What the objects of one job carry."""

    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of the job object."""
    annotations: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of the job object."""
    pod_labels: Mapping[str, str] = field(default_factory=dict[str, str])
    pod_annotations: Mapping[str, str] = field(default_factory=dict[str, str])
    scheduler: str | None = None
    policy: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Queue, size and topology for a field of the job's own."""
    group: Mapping[str, Any] | None = None
    """A PodGroup of ours, for kinds whose controller makes none."""

    def whole(self, job: TrainingJob, spec: Mapping[str, Any]) -> dict[str, Any]:
        """The job object, with what it carries and this specification."""
        marked = marks(labels=self.labels, annotations=self.annotations)
        return {**job.row.type_meta, "metadata": {"name": job.name, "namespace": job.team, **marked}, "spec": spec}

    @property
    def groups(self) -> list[dict[str, Any]]:
        """The PodGroup, if there is one."""
        return [dict(self.group)] if self.group else []


@dataclass(frozen=True)
class Nearness:
    """A level of the cluster's topology, and whether the job waits for it."""

    topology: Topology
    level: str
    required: bool


def refusal(kind: Kind, scheduler: Scheduler, nodes: int) -> str | None:
    """Why this scheduler cannot start such a job as a gang; None: it can."""
    if nodes > 1 and not scheduler.gangs:
        return "the cluster has no scheduler that starts all nodes of a job or none"
    row = KINDS[kind]
    if row.scheduler and row.scheduler != scheduler.kind:
        return f"its controller comes with {row.scheduler.capitalize()}, and the scheduler here is {scheduler.kind}"
    if scheduler.kind == "kai" and nodes > 1 and not row.kai:
        return f"KAI makes a group of its own for each pod of a {row.object} (KAI pod grouper)"
    return None


def knows_topology(kind: Kind, scheduler: Scheduler) -> bool:
    """The job's group can carry where its pods must be."""
    return scheduler.kind != "volcano" or KINDS[kind].pod_group != "run-policy"


def nearness(job: TrainingJob, scheduler: Scheduler) -> Nearness | None:
    """What the job asks, or else the cluster's own preference; nothing for one node or without a topology."""
    topology, asked = scheduler.topology, job.topology
    if topology is None or job.nodes == 1:
        return None
    if asked is None:
        if not knows_topology(job.kind, scheduler):
            return None
        required, preferred = topology.required, topology.preferred
    else:
        required, preferred = asked.required, asked.preferred
    level = required or preferred
    return Nearness(topology, level, required=bool(required)) if level else None


def gang(job: TrainingJob, contract: Contract) -> Gang:
    """What the job carries on this cluster; `refusal` has said that it can."""
    scheduler = contract.facts.scheduler
    near = nearness(job, scheduler)
    match scheduler.kind:
        case "kueue":
            pool = contract.facts.pool(job.pool or contract.facts.gpu_pools[0].name)
            placed = job.topology is not None or contract.facts.network_of(pool) is not None
            return _kueue(job, contract, near if placed else None)
        case "volcano":
            return _volcano(job, contract, near)
        case "kai":
            return _kai(contract, near)
        case _:
            return Gang()


def _kueue(job: TrainingJob, contract: Contract, near: Nearness | None) -> Gang:
    """The queue's label on the job: Kueue holds it back until there is quota for all of it."""
    pods: dict[str, str] = {}
    if near:
        pods[f"kueue.x-k8s.io/podset-{'required' if near.required else 'preferred'}-topology"] = near.level
        if job.row.two_pod_sets and not job.elastic:  # to be placed as one; a group of one pod set is refused
            pods["kueue.x-k8s.io/podset-group-name"] = job.name
    return Gang(labels={QUEUE_KEYS["kueue"]: str(contract.team.queue)}, pod_annotations=pods)


def _kai(contract: Contract, near: Nearness | None) -> Gang:
    """KAI groups pods by their owner; queue and topology are read from it (KAI pod grouper, docs/topology)."""
    queue = {QUEUE_KEYS["kai"]: str(contract.team.queue)}
    place = {}
    if near:
        how = "required" if near.required else "preferred"
        place = {"kai.scheduler/topology": near.topology.name, f"kai.scheduler/topology-{how}-placement": near.level}
    return Gang(labels=queue, annotations=place, pod_labels=queue, scheduler="kai-scheduler")


def _volcano(job: TrainingJob, contract: Contract, near: Nearness | None) -> Gang:
    queue, priority = str(contract.team.queue), job.priority or contract.team.priority_class
    tier = (
        {"mode": "hard" if near.required else "soft", "highestTierAllowed": near.topology.tier(near.level)}
        if near
        else {}
    )
    topology = {"networkTopology": tier} if tier else {}
    match job.row.pod_group:
        case "run-policy":
            # The launcher of an MPIJob starts when the workers are ready: a gang that waits for it never starts.
            policy = {"minAvailable": job.fewest_nodes, "queue": queue, "priorityClass": priority}
            return Gang(scheduler="volcano", policy={"schedulingPolicy": policy})
        case "runtime":
            return Gang(
                annotations={QUEUE_KEYS["volcano"]: queue},
                scheduler="volcano",
                policy={"podGroupPolicy": {"volcano": topology}},
            )
        case "job":
            policy = {"queue": queue, "priorityClassName": priority, "minAvailable": job.nodes, **topology}
            return Gang(scheduler="volcano", policy=policy)
        case "annotation":
            return Gang(annotations={QUEUE_KEYS["volcano"]: queue}, scheduler="volcano")
        case "labels":
            labels = {"volcano.sh/queue-name": queue, "ray.io/priority-class-name": priority}
            return Gang(labels=labels | _ray_topology(tier), scheduler="volcano")
        case "ours":
            return Gang(
                pod_annotations={"scheduling.k8s.io/group-name": job.name},
                scheduler="volcano",
                group=_pod_group(job, {"queue": queue, "priorityClassName": priority, **topology}),
            )


def _ray_topology(tier: Mapping[str, Any]) -> dict[str, str]:
    """KubeRay passes these on to the PodGroup that it makes (KubeRay, Volcano guide)."""
    if not tier:
        return {}
    return {
        "volcano.sh/network-topology-mode": tier["mode"],
        "volcano.sh/network-topology-highest-tier-allowed": str(tier["highestTierAllowed"]),
    }


def _pod_group(job: TrainingJob, policy: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": job.name, "namespace": job.team},
        "spec": {"minMember": job.nodes, **policy},
    }
