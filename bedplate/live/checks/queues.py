"""Queues: open, with every flavor that they hand out, and one for each team."""

from collections.abc import Iterator

from bedplate.components.scheduling.hyper_nodes import domains
from bedplate.jobs.objects import conditions, said
from bedplate.live.finding import Finding
from bedplate.live.kinds import CLUSTER_QUEUE, FLAVOR, HYPER_NODE, LOCAL_QUEUE, VOLCANO_QUEUE, Kind
from bedplate.live.reading import Object, Seen, entries, part, place
from bedplate.live.wanted import Wanted

STANDS = "nothing of its team is admitted: jobs wait without a pod"
QUOTA = "Kueue admits nothing by a flavor that is not there"
STRANGER = "whoever submits there takes what the profile promised to others"


def queues(wanted: Wanted, seen: Seen) -> Iterator[Finding]:
    """Of Kueue and of Volcano; KAI's have no state."""
    for kind in (CLUSTER_QUEUE, LOCAL_QUEUE):
        names = {one.place for one in wanted.of(kind)}
        for one in seen.of(kind):
            if place(one) in names:
                yield from _stands(kind, one)
            elif names and kind == CLUSTER_QUEUE and _shares(one, wanted):
                yield Finding("queues", called(kind, one), "is in our cohort, and the profile knows no such", STRANGER)
    yield from _flavors(seen, {one.place for one in wanted.of(CLUSTER_QUEUE)})
    for one in seen.of(VOLCANO_QUEUE):
        now = part(one, "status").get("state", "Open")
        if now != "Open" and any(one_.place == place(one) for one_ in wanted.of(VOLCANO_QUEUE)):
            yield Finding("queues", called(VOLCANO_QUEUE, one), f"is {now}", STANDS)
    for first, *more in domains(seen.of(HYPER_NODE)):
        for one in more:
            text = f"is the same domain as {first}: delete it, and Volcano looks again"
            yield Finding("queues", f"HyperNode {one}", text, "with both Volcano knows no topology, and starts no job")


def called(kind: Kind, one: Object) -> str:
    """As findings call it."""
    return f"{kind.kind} {'/'.join(filter(None, place(one)))}"


def _stands(kind: Kind, one: Object) -> Iterator[Finding]:
    spec = part(one, "spec")
    stopped = spec.get("stopPolicy", "None")
    if stopped != "None":
        yield Finding("queues", called(kind, one), f"was stopped by hand (stopPolicy: {stopped})", STANDS)
    active = conditions(one).get("Active", {})
    if active.get("status") == "False" and stopped == "None":
        text = f"is not active: {active.get('reason', 'no reason')}: {said(active)}"
        yield Finding("queues", called(kind, one), text, STANDS)


def _shares(one: Object, wanted: Wanted) -> bool:
    spec = part(one, "spec")
    cohorts = {_cohort(declared.document) for declared in wanted.of(CLUSTER_QUEUE)} - {None}
    return _cohort({"spec": spec}) in cohorts


def _cohort(one: Object) -> str | None:
    return one["spec"].get("cohortName") or one["spec"].get("cohort")


def _flavors(seen: Seen, ours: set[tuple[str, str]]) -> Iterator[Finding]:
    if not seen.knows(FLAVOR):
        return
    there = {place(one)[1] for one in seen.of(FLAVOR)}
    for one in seen.of(CLUSTER_QUEUE):
        groups = entries(one, "spec", "resourceGroups") if place(one) in ours else ()
        named = dict.fromkeys(flavor["name"] for group in groups for flavor in entries(group, "flavors"))
        for missing in (name for name in named if name not in there):
            yield Finding("queues", called(CLUSTER_QUEUE, one), f"names ResourceFlavor {missing}: there is none", QUOTA)
