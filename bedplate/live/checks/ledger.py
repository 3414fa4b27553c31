"""The ledger: pods of teams hold no more than their queues count.

Each pod is held against the Workload that Kueue wrote into it, or the PodGroup that Volcano knows it by, and not only
the team's sums: a job that was admitted and has no pods yet would hide as many that nobody counts.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from bedplate.cluster.objects import Object, entries, is_true, labels, part, place
from bedplate.components.facts import TeamFacts
from bedplate.components.facts.queues import added
from bedplate.components.quantity import amount, gib
from bedplate.live.amounts import Amounts, holds, requests, total
from bedplate.live.desired import Desired
from bedplate.live.finding import Finding, finding
from bedplate.live.kinds import CLUSTER_QUEUE, POD, POD_GROUP, VOLCANO_QUEUE, WORKLOAD, Kind
from bedplate.live.reading import Observed

COUNTED_BY = {"kueue": WORKLOAD, "volcano": POD_GROUP}
"""By scheduler, the kind that its queues count by."""
BY_WORKLOAD, BY_SET = "kueue.x-k8s.io/workload", "kueue.x-k8s.io/podset"
"""Annotation and label that Kueue gives every pod that it lets start (v0.19.2, jobframework/reconciler.go)."""
BY_GROUP = "scheduling.k8s.io/group-name"
"""Without the PodGroup of that name Volcano counts the pod for nobody (v1.15.1, scheduler/cache `Snapshot`)."""
DELETED = "deletionTimestamp"
LAST = ("cpu", "memory")
LATE = timedelta(minutes=5)
"""Beyond its grace, before a pod that was deleted counts as one that does not end."""
Excess = Iterator[tuple[list[Object], str]]
"""Pods beyond their queue, with the reason."""


def ledger(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """Pods of teams beyond their queue in Kueue or Volcano; no other scheduler writes down what a queue counts."""
    kind = COUNTED_BY.get(desired.facts.scheduler.kind)
    if kind is None or not (observed.knows(kind) and observed.knows(POD)):
        return
    for team in desired.facts.teams:
        pods = [pod for pod in held(desired, observed) if place(pod)[0] == team.name]
        excess = list((_beyond_kueue if kind == WORKLOAD else _beyond_volcano)(team, pods, observed))
        for beyond, reason in excess:
            amounts = _text(total(map(requests, beyond)), desired)
            names = ", ".join(sorted(place(pod)[1] for pod in beyond))
            where = f"{team.name}: pod{'s' if len(beyond) > 1 else ''} {names}"
            yield finding("ledger.beyond", where, amounts=amounts, reason=reason)
        if excess:
            yield from _queue(desired, observed, team, total(map(requests, pods)))


def held(desired: Desired, observed: Observed) -> list[Object]:
    """Pods of teams that hold something, but those that end within the grace that the profile allows."""
    pods = (pod for pod in observed.of(POD) if place(pod)[0] in desired.teams)
    return [pod for pod in pods if holds(pod) and not _ends(pod, desired)]


def _ends(pod: Object, desired: Desired) -> bool:
    metadata, most = part(pod, "metadata"), desired.facts.longest_grace
    if (end := metadata.get(DELETED)) is None:
        return False
    grace = metadata.get("deletionGracePeriodSeconds", 0)
    return (most is None or grace <= most) and datetime.now(UTC) < datetime.fromisoformat(end) + LATE


def _beyond_kueue(team: TeamFacts, pods: Sequence[Object], observed: Observed) -> Excess:
    workloads = {place(obj)[1]: obj for obj in observed.of(WORKLOAD) if place(obj)[0] == team.name}
    sets: dict[tuple[str, str], list[Object]] = defaultdict(list)
    for pod in pods:
        sets[part(pod, "metadata", "annotations").get(BY_WORKLOAD, ""), labels(pod).get(BY_SET, "")].append(pod)
    for (name, podset), members in sets.items():
        if fault := _uncounted(name, workloads.get(name)):
            yield members, fault
            continue
        used, held_now = _used(workloads[name]).get(podset, {}), total(map(requests, members))
        less = [key for key, number in held_now.items() if key in used and number > used[key]]
        none = [key for key, number in held_now.items() if key not in used and number and "/" in key]
        if less or none:
            yield members, f"Workload {name} was admitted for less {', '.join(sorted({*less, *none}))}"


def _uncounted(name: str, workload: Object | None) -> str | None:
    """Why no Workload counts pods that name it; None: it does."""
    if not name:
        return "no Workload is theirs"
    if workload is None:
        return f"Workload {name} is no longer there"
    if is_true(workload, "Finished"):
        return f"Workload {name} has finished"
    return None if is_true(workload, "Admitted") else f"Workload {name} is not admitted"


def _used(workload: Object) -> Mapping[str, Amounts]:
    """What a Workload was admitted for, by its sets of pods."""
    sets = entries(workload, "status", "admission", "podSetAssignments")
    return {
        pod_set["name"]: {key: amount(str(text)) for key, text in part(pod_set, "resourceUsage").items()}
        for pod_set in sets
    }


def _beyond_volcano(team: TeamFacts, pods: Sequence[Object], observed: Observed) -> Excess:
    """A pod without devices may be any scheduler's, and no queue counts its processors then."""
    groups = [obj for obj in observed.of(POD_GROUP) if place(obj)[0] == team.name]
    queues = {place(obj)[1]: part(obj, "spec").get("queue") for obj in groups}
    faults: dict[str, list[Object]] = defaultdict(list)
    for pod in pods:
        group = part(pod, "metadata", "annotations").get(BY_GROUP, "")
        by_volcano, ends = part(pod, "spec").get("schedulerName") == "volcano", DELETED in part(pod, "metadata")
        if not by_volcano and any("/" in key and number for key, number in requests(pod).items()):
            faults["Volcano did not place them"].append(pod)
        elif by_volcano and group not in queues:
            faults[f"PodGroup {group} is not there" if group else "no PodGroup is theirs"].append(pod)
        elif by_volcano and queues[group] != team.queue:
            faults[f"PodGroup {group} is of queue {queues[group]}"].append(pod)
        elif by_volcano and ends:  # `Releasing`, which no queue counts (v1.15.1, scheduler/api/helpers.go)
            faults["they were deleted, and have not ended in their time"].append(pod)
    yield from ((members, fault) for fault, members in faults.items())


def _queue(desired: Desired, observed: Observed, team: TeamFacts, own: Amounts) -> Iterator[Finding]:
    """A queue that counts less in all than its team's pods hold."""
    kind, name = (CLUSTER_QUEUE, team.name) if desired.facts.scheduler.kind == "kueue" else (VOLCANO_QUEUE, team.queue)
    if queue := observed.find(kind, str(name)):
        counts = _counts(kind, queue)
        uncounted = {key: number for key, number in own.items() if number > counts.get(key, Decimal(0))}
        if text := _text(uncounted, desired):
            yield finding("ledger.less", f"{kind.kind} {name}", amounts=text)


def _counts(kind: Kind, queue: Object) -> Amounts:
    if kind == VOLCANO_QUEUE:
        return {key: amount(str(text)) for key, text in part(queue, "status", "allocated").items()}
    used = [usage for flavor in entries(queue, "status", "flavorsUsage") for usage in entries(flavor, "resources")]
    return total({usage["name"]: amount(str(usage.get("total", 0)))} for usage in used)


def _text(amounts: Mapping[str, Decimal], desired: Desired) -> str:
    """Amounts of what the quotas cover, devices first, because they are scarce."""
    covered = added(desired.facts.capacity.values())
    order = sorted((key for key in amounts if key in covered and amounts[key]), key=lambda key: (key in LAST, key))
    return ", ".join(f"{_number(key, amounts[key])} {key}" for key in order)


def _number(resource: str, number: Decimal) -> str:
    if resource.startswith(("memory", "hugepages-")):
        return f"{gib(str(number)):.1f} GiB of"
    return f"{number.normalize():f}"
