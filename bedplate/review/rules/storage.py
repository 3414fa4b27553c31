"""Volumes, claims and their classes."""

from bedplate.review.changes import Change
from bedplate.review.danger import Danger, Judgement
from bedplate.review.fields import Field
from bedplate.review.rules.amounts import quantity
from bedplate.review.rules.rule import refused

GROWING = "Kubernetes docs: persistent volumes, expanding claims"


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
