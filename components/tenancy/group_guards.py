"""That what Volcano and KAI count pods by, the PodGroup, says the team's queue and stays while its pods run.

Volcano counts the pods of a group that is there: without it a queue shows nothing, and no reclaim touches them.
"""

from collections.abc import Iterator

from bedplate.components.tenancy.guards import BY_A_CONTROLLER, Limit, Watch
from bedplate.components.workload.templates import Kind

RUNS = (
    "(has(oldObject.status) && ((has(oldObject.status.phase) && oldObject.status.phase in "
    "['Running', 'Unknown']) || (has(oldObject.status.running) && oldObject.status.running > 0)))"
)
"""Not Inqueue, which a group without pods is for ever, so that nobody could take it away. Volcano writes the next phase
a moment after it has placed the pods: for so long a group that no job owns can be deleted under them."""
PART = "(has(oldObject.metadata.ownerReferences) && size(oldObject.metadata.ownerReferences) > 0)"


def group_watches(groups: Kind, *others: Kind) -> Iterator[Watch]:
    """Of the groups, and of other kinds that name a queue; a team's queue has its namespace's name."""
    named = "Another team's queue, or none: name the queue of the namespace."
    yield Watch(
        "queue",
        (groups, *others),
        (Limit("has(object.spec.queue) && object.spec.queue == request.namespace", named),),
    )
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
        ),
        when="request.operation in ['DELETE', 'UPDATE']",
        operations=("UPDATE", "DELETE"),
    )
