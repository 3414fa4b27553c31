"""Volumes, claims and their classes."""

from bedplate.review.changes import Change
from bedplate.review.danger import Danger, Judgement
from bedplate.review.fields import Field
from bedplate.review.rules.amounts import quantity
from bedplate.review.rules.rule import evicts, loses_data, nothing, refused

VOLUMES = "Kubernetes docs: persistent volumes, reclaiming"
GROWING = "Kubernetes docs: persistent volumes, expanding claims"


def claim_gone(change: Change) -> Judgement:
    """Data, as far as its volume's reclaim policy lets go of it."""
    if change.resource.spec.get("volumeName"):
        return evicts("pods lose it; about its data the volume that it names decides", VOLUMES)
    return loses_data("the claim goes, and with reclaim policy Delete its data", VOLUMES)


def resized(change: Change, field: Field) -> Judgement:
    """What exists keeps its size: only a class that provisions can make it larger."""
    old, new = quantity(field.old), quantity(field.new)
    if new is None:
        return refused("a claim always says its size", GROWING)
    if old is not None and old > new:
        return refused("a claim never shrinks: make another one, and copy", GROWING)
    if change.resource.spec.get("volumeName"):
        reason = "a volume that nobody provisions does not grow: leave its size; the file system keeps its own quotas"
        return refused(reason, GROWING)
    return Judgement(
        Danger.UNKNOWN, "grows where its class says allowVolumeExpansion, and is refused otherwise", GROWING
    )


def volume_gone(change: Change) -> Judgement:
    """Retained by this stack; a new one in its place needs its claim anew."""
    if change.resource.spec.get("persistentVolumeReclaimPolicy") == "Retain":
        return evicts("data stay (Retain), but the claim is lost to its pods", VOLUMES)
    return loses_data("its reclaim policy is not Retain", VOLUMES)


def reclaimed(_: Change, field: Field) -> Judgement:
    """What happens to the data once the claim goes."""
    if field.new == "Retain":
        return nothing("its data stay when its claim goes", VOLUMES)
    return loses_data(f"from now on its data go with its claim ({field.new or 'the default'})", VOLUMES)
