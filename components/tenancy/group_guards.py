"""That what Volcano and KAI count pods by, the PodGroup, says the team's queue and stays while its pods run.

Volcano counts the pods of a group that is there: without it a queue shows nothing, and no reclaim touches them.
"""

from collections.abc import Collection, Iterator

from bedplate.components.tenancy.guards import (
    BY_A_CONTROLLER,
    CREATED,
    MARKED,
    MARKS,
    OWNERS,
    Limit,
    Watch,
    not_theirs,
    texts,
)
from bedplate.components.workload.templates import PODS, Kind

RUNS = (
    "(has(oldObject.status) && ((has(oldObject.status.phase) && oldObject.status.phase in "
    "['Running', 'Unknown']) || (has(oldObject.status.running) && oldObject.status.running > 0)))"
)
"""Not Inqueue, which a group without pods is for ever, so that nobody could take it away. Volcano writes the next phase
a moment after it has placed the pods: for so long a group that no job owns can be deleted under them."""
NAMES = ("scheduling.k8s.io/", "scheduling.volcano.sh/", "volcano.sh/", "pod-group-name")
"""Beginnings of the annotations by which a pod is of a group (volcano-sh/volcano@v1.15.1, pkg/scheduler/api/job_info.go
`getJobID`; NVIDIA/KAI-Scheduler, pkg/common/constants). Pods of a group that is not there are in no queue's count."""
STAYS = "volcano.sh/preemptable"
"""With `false` the scheduler passes a pod by when it takes back what was lent (pkg/scheduler/api/pod_info.go
`GetPodPreemptable`, actions/gangreclaim; a group's is read from its annotations and labels as well)."""
LABELS = "(has({0}.metadata) && has({0}.metadata.labels) ? {0}.metadata.labels : {{}})"
PART = "(has(oldObject.metadata.ownerReferences) && size(oldObject.metadata.ownerReferences) > 0)"


def group_watches(groups: Kind, *others: Kind, classes: Collection[str] = ()) -> Iterator[Watch]:
    """Of the groups, and of other kinds that name a queue; a team's queue has its namespace's name.

    Classes of priority are held against `classes` where people write the groups, and not against none.
    """
    named = "Another team's queue, or none: name the queue of the namespace."
    limits = [Limit("has(object.spec.queue) && object.spec.queue == request.namespace", named)]
    if classes:
        urgent = f"object.spec.priorityClassName in {texts(['', *classes])}"
        limits.append(Limit(f"!has(object.spec.priorityClassName) || {urgent}", not_theirs(classes)))
    yield Watch("queue", (groups, *others), tuple(limits))
    free = f"{BY_A_CONTROLLER} || oldObject == null || !({PART} || {RUNS})"
    yield Watch(
        "group",
        (groups,),
        (
            Limit(
                f"request.operation != 'DELETE' || {free}",
                "The queue counts pods by their PodGroup: delete the job or the pods, and this when none runs.",
            ),
            Limit(
                f"request.operation != 'UPDATE' || {free} || object.spec == oldObject.spec",
                "The queue counts pods by their PodGroup: change it before they run, or let its job do it.",
            ),
            Limit(
                f"request.operation == 'DELETE' || {BY_A_CONTROLLER} || {OWNERS.format('object')} == "
                f"(request.operation == 'CREATE' ? [] : {OWNERS.format('oldObject')})",
                "A PodGroup goes with its owner, and its pods would be counted by nobody: leave ownerReferences to "
                "the job.",
            ),
        ),
        when="true",
        operations=("CREATE", "UPDATE", "DELETE"),
    )
    yield _kept()


def _kept() -> Watch:
    """Whoever placed them has given the pods their group."""
    before, after = MARKS.format("oldObject"), MARKS.format("object")
    ours = f"{list(NAMES)}.exists(n, k.startsWith(n))"
    same = " && ".join(
        f"{one}.all(k, !{ours} || (k in {other} && {other}[k] == {one}[k]))"
        for one, other in ((before, after), (after, before))
    )
    return Watch(
        "member",
        (("", "v1", "pods"),),
        (Limit(same, "The queue counts a pod by the group that its annotations name: leave them as they are."),),
        when=f"!{BY_A_CONTROLLER}",
        operations=("UPDATE",),
    )


def lent_watches(groups: Kind) -> Iterator[Watch]:
    """That nothing says of itself that it is not to be taken back; Volcano alone asks it."""
    message = f'What is lent is given back when its team asks: remove {STAYS}, or say "true".'

    def given(owner: str) -> str:
        return " && ".join(
            f"(!('{STAYS}' in {marks}) || {marks}['{STAYS}'] == 'true')"
            for marks in (MARKS.format(owner), LABELS.format(owner))
        )

    changed = f"{MARKED} || {LABELS.format('object')} != {LABELS.format('oldObject')}"
    templates = f"variables.templates.all(t, {given('t')})"
    yield Watch("lent", PODS, (Limit(f"{given('object')} && {templates}", message),), when=changed)
    yield Watch("lent-group", (groups,), (Limit(given("object"), message),), when=f"{CREATED} || !{BY_A_CONTROLLER}")
