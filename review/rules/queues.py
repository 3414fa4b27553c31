"""Queues, their quotas, and what the schedulers know of the nodes."""

from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation

from components.quantity import amount
from review.changes import Change, Field
from review.danger import Danger, Judgement
from review.rules.rule import Rule

KUEUE = "Kueue docs: ClusterQueue"
VOLCANO = "Volcano docs: Queue"
IMMUTABLE = "kubernetes-sigs/kueue apis/kueue/v1beta2, validation rules of the CRDs"
QUOTA = ("nominalQuota", "borrowingLimit", "lendingLimit", "guarantee", "capability", "deserved", "hard")


def queue(change: Change) -> Judgement:
    """A team's share: less of it is a loss, more of it is none."""
    source = VOLCANO if change.resource.kind == "Queue" else KUEUE
    if change.what in ("delete", "replace"):
        return Judgement(
            Danger.LOSES_QUOTA, "what waits in it is never admitted; it goes when what runs has ended", source
        )
    if change.what == "create":
        return Judgement(Danger.NOTHING, "a new queue: nobody waits in it yet", source)
    if less := list(_less(change)):
        shown = "; ".join(f"{field.path.removeprefix('spec.')} {field.old} → {field.new}" for field in less[:3])
        return Judgement(Danger.LOSES_QUOTA, f"a share shrinks: {shown}", source)
    if change.touches("spec.preemption", "spec.reclaimable", "spec.fairSharing", "spec.weight"):
        return Judgement(
            Danger.EVICTS_JOBS, "who may take back from whom changes: borrowed GPUs may be reclaimed", source
        )
    return Judgement(Danger.NOTHING, "no share shrinks; what is admitted stays admitted", source)


def _less(change: Change) -> Iterator[Field]:
    """Amounts that shrink or vanish. A limit that appears where none was is less, too."""
    for field in change.fields:
        if not any(name in field.path for name in QUOTA):
            continue
        old, new = _number(field.old), _number(field.new)
        limit = "Limit" in field.path or "capability" in field.path or "hard" in field.path
        if (old is not None and (new < old if new is not None else not limit)) or (
            old is None and limit and new is not None
        ):
            yield field


def _number(value: object) -> Decimal | None:
    try:
        return None if value is None else Decimal(str(amount(str(value))))
    except (InvalidOperation, ValueError):
        return None


def entrance(change: Change) -> Judgement:
    """A namespace's way into its queue."""
    if change.what == "update" and change.touches("spec.clusterQueue"):
        return Judgement(Danger.REFUSED, "a LocalQueue never leads elsewhere: delete it first", IMMUTABLE)
    if change.what in ("delete", "replace"):
        return Judgement(Danger.LOSES_QUOTA, "the namespace's jobs are admitted by no queue, or another", KUEUE)
    return Judgement(Danger.NOTHING, "what is admitted stays admitted", KUEUE)


FIXED: Mapping[str, tuple[str, ...]] = {
    "AdmissionCheck": ("spec.controllerName",),
    "ResourceFlavor": ("spec.nodeLabels", "spec.tolerations", "spec.topologyName"),
    "Topology": ("spec.levels",),
}
"""Of a ResourceFlavor that names a topology, and every one of this stack does."""


def flavor(change: Change) -> Judgement:
    """Which nodes a quota stands for."""
    if change.what in ("delete", "replace"):
        return Judgement(Danger.LOSES_QUOTA, "queues that name it admit nothing", "Kueue docs: ResourceFlavor")
    if change.what == "create":
        return Judgement(Danger.NOTHING, "no quota stands for it yet", "Kueue docs: ResourceFlavor")
    if change.touches(*FIXED.get(change.resource.kind, ())):
        reason = "Kueue lets nobody change it: end the jobs, delete the queues that use it, and then it"
        return Judgement(Danger.REFUSED, reason, IMMUTABLE)
    return Judgement(Danger.NOTHING, "only workloads that are admitted later see it", "Kueue docs: ResourceFlavor")


def priority(change: Change) -> Judgement:
    """A class's value cannot change: it is made anew; pods keep the number they were given."""
    source = "Kubernetes docs: pod priority and preemption"
    if change.what == "delete":
        return Judgement(Danger.EVICTS_JOBS, "pods that name it are refused; what runs keeps its number", source)
    return Judgement(Danger.NOTHING, "pods that run keep the number they were given", source)


RULES: Mapping[str, Rule] = {
    "ClusterQueue": queue,
    "Cohort": queue,
    "Queue": queue,
    "LocalQueue": entrance,
    "ResourceFlavor": flavor,
    "Topology": flavor,
    "AdmissionCheck": flavor,
    "HyperNode": flavor,
    "ResourceQuota": queue,
    "PriorityClass": priority,
    "WorkloadPriorityClass": priority,
}
