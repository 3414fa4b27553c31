"""The ledger: what a team's pods hold, its queue counts. Whatever is beyond that is named.

Each pod is held against the Workload that Kueue wrote into it, or the PodGroup that Volcano knows it by, and not only
the team's sums: a job that was admitted and has no pods yet would hide as many that nobody counts.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from bedplate.components.facts import TeamFacts
from bedplate.components.facts.queues import added
from bedplate.components.quantity import amount, gib
from bedplate.jobs.objects import holds as condition
from bedplate.live.amounts import Amounts, asked, holds, total
from bedplate.live.finding import Finding
from bedplate.live.kinds import CLUSTER_QUEUE, POD, POD_GROUP, VOLCANO_QUEUE, WORKLOAD, Kind
from bedplate.live.reading import Object, Seen, entries, labels, part, place
from bedplate.live.wanted import Wanted

WRITTEN = {"kueue": WORKLOAD, "volcano": POD_GROUP}
"""By scheduler, what its queues count by."""
BY_WORKLOAD, BY_SET = "kueue.x-k8s.io/workload", "kueue.x-k8s.io/podset"
"""Annotation and label that Kueue gives every pod that it lets start (v0.19.2, jobframework/reconciler.go)."""
BY_GROUP = "scheduling.k8s.io/group-name"
"""Without the PodGroup of that name Volcano counts the pod for nobody (v1.15.1, scheduler/cache `Snapshot`)."""
OWN = ("cpu", "memory")
LATE = timedelta(minutes=5)
"""Beyond its grace, before a pod that was deleted counts as one that does not end."""
PAST = "the queue gives the same to others: delete them, and ask who made them"


def ledger(wanted: Wanted, seen: Seen) -> Iterator[Finding]:
    """Of Kueue and Volcano; nobody else writes down what a queue counts."""
    kind = WRITTEN.get(wanted.facts.scheduler.kind)
    if kind is None or not (seen.knows(kind) and seen.knows(POD)):
        return
    for team in wanted.facts.teams:
        pods = [pod for pod in held(wanted, seen) if place(pod)[0] == team.name]
        beyond = list((_beyond_kueue if kind == WORKLOAD else _beyond_volcano)(team, pods, seen))
        for mine, reason in beyond:
            amounts = _said(total(map(asked, mine)), wanted)
            names = ", ".join(sorted(place(pod)[1] for pod in mine))
            many = "s" if len(mine) > 1 else ""
            yield Finding("ledger", f"{team.name}: pod{many} {names}", f"{amounts} beyond the queue: {reason}", PAST)
        if beyond:
            yield from _queue(wanted, seen, team, total(map(asked, pods)))


def held(wanted: Wanted, seen: Seen) -> list[Object]:
    """Pods of teams that hold something, but those that end within the grace that the profile allows."""
    return [pod for pod in seen.of(POD) if place(pod)[0] in wanted.teams and holds(pod) and not _ends(pod, wanted)]


def _ends(pod: Object, wanted: Wanted) -> bool:
    metadata, most = part(pod, "metadata"), wanted.facts.longest_grace
    if (end := metadata.get("deletionTimestamp")) is None:
        return False
    grace = metadata.get("deletionGracePeriodSeconds", 0)
    return (most is None or grace <= most) and datetime.now(UTC) < datetime.fromisoformat(end) + LATE


def _beyond_kueue(team: TeamFacts, pods: Sequence[Object], seen: Seen) -> Iterator[tuple[list[Object], str]]:
    workloads = {place(one)[1]: one for one in seen.of(WORKLOAD) if place(one)[0] == team.name}
    sets: dict[tuple[str, str], list[Object]] = defaultdict(list)
    for pod in pods:
        sets[part(pod, "metadata", "annotations").get(BY_WORKLOAD, ""), labels(pod).get(BY_SET, "")].append(pod)
    for (name, podset), mine in sets.items():
        if fault := _uncounted(name, workloads.get(name)):
            yield mine, fault
            continue
        used = _used(workloads[name]).get(podset, {})
        more = [key for key, number in total(map(asked, mine)).items() if key in used and number > used[key]]
        none = [key for key, number in total(map(asked, mine)).items() if key not in used and number and "/" in key]
        if more or none:
            yield mine, f"Workload {name} was admitted for less {', '.join(sorted({*more, *none}))}"


def _uncounted(name: str, workload: Object | None) -> str | None:
    if not name:
        return "no Workload is theirs"
    if workload is None:
        return f"Workload {name} is no longer there"
    if condition(workload, "Finished"):
        return f"Workload {name} has finished"
    return None if condition(workload, "Admitted") else f"Workload {name} is not admitted"


def _used(workload: Object) -> Mapping[str, Amounts]:
    """By its sets of pods."""
    sets = entries(workload, "status", "admission", "podSetAssignments")
    return {one["name"]: {key: amount(str(text)) for key, text in part(one, "resourceUsage").items()} for one in sets}


def _beyond_volcano(team: TeamFacts, pods: Sequence[Object], seen: Seen) -> Iterator[tuple[list[Object], str]]:
    """A pod without devices may be any scheduler's, and no queue counts its processors then."""
    queues = {place(one)[1]: part(one, "spec").get("queue") for one in seen.of(POD_GROUP) if place(one)[0] == team.name}
    faults: dict[str, list[Object]] = defaultdict(list)
    for pod in pods:
        group = part(pod, "metadata", "annotations").get(BY_GROUP, "")
        by_volcano = part(pod, "spec").get("schedulerName") == "volcano"
        if not by_volcano and any("/" in key and number for key, number in asked(pod).items()):
            faults["Volcano did not place them"].append(pod)
        elif by_volcano and group not in queues:
            faults[f"PodGroup {group} is not there" if group else "no PodGroup is theirs"].append(pod)
        elif by_volcano and queues[group] != team.queue:
            faults[f"PodGroup {group} is of queue {queues[group]}"].append(pod)
    yield from ((mine, fault) for fault, mine in faults.items())


def _queue(wanted: Wanted, seen: Seen, team: TeamFacts, mine: Amounts) -> Iterator[Finding]:
    """What it counts in all, where that is less than what the team holds."""
    kind, name = (CLUSTER_QUEUE, team.name) if wanted.facts.scheduler.kind == "kueue" else (VOLCANO_QUEUE, team.queue)
    queue = seen.one(kind, str(name))
    counted = _counts(kind, queue) if queue else {}
    less = {key: number for key, number in mine.items() if number > counted.get(key, Decimal(0))}
    if queue and (text := _said(less, wanted)):
        yield Finding("ledger", f"{kind.kind} {name}", f"counts less than the {text} that its team's pods hold", PAST)


def _counts(kind: Kind, queue: Object) -> Amounts:
    if kind == VOLCANO_QUEUE:
        return {key: amount(str(text)) for key, text in part(queue, "status", "allocated").items()}
    flavors = entries(queue, "status", "flavorsUsage")
    return total(
        {one["name"]: amount(str(one.get("total", 0)))} for flavor in flavors for one in entries(flavor, "resources")
    )


def _said(amounts: Mapping[str, Decimal], wanted: Wanted) -> str:
    """Devices first, as they are what is scarce; of what the quotas cover."""
    covered = added(wanted.facts.capacity.values())
    order = sorted((key for key in amounts if key in covered and amounts[key]), key=lambda key: (key in OWN, key))
    return ", ".join(f"{_number(key, amounts[key])} {key}" for key in order)


def _number(resource: str, number: Decimal) -> str:
    if resource.startswith(("memory", "hugepages-")):
        return f"{gib(str(number)):.1f} GiB of"
    return f"{number.normalize():f}"
