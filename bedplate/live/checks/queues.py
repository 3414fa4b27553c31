"""Queues: open, with every flavor that they hand out, and one for each team."""

from collections.abc import Iterator

from bedplate.cluster.objects import Object, conditions, entries, is_false, message, part, place
from bedplate.components.scheduling.hyper_nodes import domains
from bedplate.live.desired import Desired
from bedplate.live.finding import Finding, finding
from bedplate.live.kinds import CLUSTER_QUEUE, FLAVOR, HYPER_NODE, LOCAL_QUEUE, VOLCANO_QUEUE, Kind
from bedplate.live.reading import Observed


def queues(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """Queues of Kueue and Volcano that do not work; KAI's have no state."""
    for kind in (CLUSTER_QUEUE, LOCAL_QUEUE):
        for obj in desired.own(kind, observed):
            yield from _stopped(kind, obj)
    yield from _strangers(desired, observed)
    yield from _flavors(desired, observed)
    for obj in desired.own(VOLCANO_QUEUE, observed):
        if (state := part(obj, "status").get("state", "Open")) != "Open":
            yield finding("queues.closed", VOLCANO_QUEUE.title(obj), state=state)
    for first, *more in domains(observed.of(HYPER_NODE)):
        yield from (finding("queues.twice", f"HyperNode {name}", first=first) for name in more)


def _stopped(kind: Kind, obj: Object) -> Iterator[Finding]:
    stopped = part(obj, "spec").get("stopPolicy", "None")
    if stopped != "None":
        yield finding("queues.stopped", kind.title(obj), policy=stopped)
    elif is_false(obj, "Active"):
        active = conditions(obj)["Active"]
        reason = active.get("reason", "no reason")
        yield finding("queues.inactive", kind.title(obj), reason=reason, message=message(active))


def _strangers(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """ClusterQueues in our cohort that the plan does not declare."""
    ours = {declared.place for declared in desired.of(CLUSTER_QUEUE)}
    cohorts = {_cohort(declared.document) for declared in desired.of(CLUSTER_QUEUE)} - {None}
    for obj in observed.of(CLUSTER_QUEUE):
        if place(obj) not in ours and _cohort(obj) in cohorts:
            yield finding("queues.stranger", CLUSTER_QUEUE.title(obj))


def _cohort(queue: Object) -> str | None:
    spec = part(queue, "spec")
    return spec.get("cohortName") or spec.get("cohort")


def _flavors(desired: Desired, observed: Observed) -> Iterator[Finding]:
    if not observed.knows(FLAVOR):
        return
    for obj in desired.own(CLUSTER_QUEUE, observed):
        groups = entries(obj, "spec", "resourceGroups")
        for name in dict.fromkeys(flavor["name"] for group in groups for flavor in entries(group, "flavors")):
            if observed.find(FLAVOR, name) is None:
                yield finding("queues.flavor", CLUSTER_QUEUE.title(obj), name=name)
