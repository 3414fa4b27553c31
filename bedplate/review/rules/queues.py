"""Queues: who borrows from whom, which namespaces may use them, and what they admit."""

from bedplate.review.changes import Change
from bedplate.review.danger import Judgement
from bedplate.review.fields import Field
from bedplate.review.rules.rule import evicts, loses, nothing

VOLCANO = "Volcano docs: Queue, and the capacity and proportion plugins"
TYPES = "kubernetes-sigs/kueue apis/kueue/v1beta2/clusterqueue_types.go"


def cohort(change: Change, field: Field) -> Judgement:
    """Who leaves one borrows nothing more; who joins one lends, and must be able to take back."""
    if field.old:
        return loses(f"it borrows from {field.old} no more, and what it has borrowed is taken back", TYPES)
    reclaim = change.resource.spec.get("preemption", {}).get("reclaimWithinCohort", "Never")
    if reclaim == "Never":
        return loses("others may borrow what it leaves unused, and it cannot take it back (reclaimWithinCohort)", TYPES)
    return nothing("its own quota stays, and it takes back what it lends", TYPES)


def selector(change: Change, _: Field) -> Judgement:
    """Which namespaces may use the queue: an empty selector means all of them, an absent one means none."""
    if change.resource.spec.get("namespaceSelector") == {}:
        return nothing("every namespace may use it now", TYPES)
    return loses("jobs of namespaces that it no longer selects are not admitted", TYPES)


def stopped(_: Change, field: Field) -> Judgement:
    """Hold admits nothing more; HoldAndDrain evicts what runs, too."""
    if field.new in (None, "None"):
        return nothing("it admits again", TYPES)
    if field.new == "HoldAndDrain":
        return loses("all that it has admitted is evicted, and nothing is admitted any more", TYPES)
    return loses("nothing is admitted any more; what runs goes on", TYPES)


def checked(_: Change, field: Field) -> Judgement:
    """A check more must say yes before a job starts, of jobs that are admitted, too."""
    source = "Kueue docs: admission checks; kubernetes-sigs/kueue pkg/workload/admissionchecks.go"
    if field.new is None:
        return nothing("one check less is waited for", source)
    return evicts("jobs wait for another check, and a job that it refuses is evicted", source)


def reserved(_: Change, field: Field) -> Judgement:
    """What nobody else may use: less of it is a loss for the queue, more of it for all others."""
    return loses(f"what is reserved changes ({field.old} → {field.new}): others may use the rest alone", VOLCANO)
