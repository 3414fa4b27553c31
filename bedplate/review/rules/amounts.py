"""Amounts of which less, or more, does something: quotas, bounds, what is covered, numbers of nodes."""

from decimal import Decimal, InvalidOperation

from bedplate.components.quantity import amount
from bedplate.review.changes import Change
from bedplate.review.danger import Danger, Judgement
from bedplate.review.fields import Field
from bedplate.review.rules.rule import evicts, loses, nothing, replaces

QUOTA = "Kubernetes docs: resource quotas"
LIMITS = "Kubernetes docs: limit ranges"


def quantity(value: object) -> Decimal | None:
    """A quantity as Kubernetes reads it; None of what is no quantity."""
    try:
        return Decimal(str(amount(str(value))))
    except (InvalidOperation, ValueError):
        return None


def shrinks(field: Field, *, limit: bool) -> bool | None:
    """Whether less is granted; None if that cannot be read. Absent means nothing, and of a limit: no bound."""
    old, new = (None if value is None else quantity(value) for value in (field.old, field.new))
    if (old is None) != (field.old is None) or (new is None) != (field.new is None):
        return None
    if old is None or new is None:
        return (old is None) == limit
    return new < old


def share(_: Change, field: Field, *, source: str, limit: bool = False) -> Judgement:
    """An amount that a team is granted."""
    less = shrinks(field, limit=limit)
    shown = f"{field.path.removeprefix('spec.')} {field.old} → {field.new}"
    if less is None:
        return Judgement(Danger.UNKNOWN, f"nobody can compare {shown}", source)
    if less:
        return loses(f"a share shrinks: {shown}", source)
    return nothing("no share shrinks; what is admitted stays admitted", source)


def less(change: Change, field: Field, *, what: str, source: str) -> Judgement:
    """An item of a list of what is granted: a new one is harmless, the end of one is a loss."""
    after = {other.new for other in change.fields if other.place == field.place}
    if field.old is None or field.old in after:  # only its place in the list changes
        return nothing("no share shrinks; what is admitted stays admitted", source)
    return loses(f"{what} {field.old} is no longer granted", source)


def ranged(_: Change, field: Field) -> Judgement:
    """What a container may ask for: pods outside the bounds are refused when they are made."""
    least = ".min." in field.path
    swapped = Field(field.path, field.new, field.old) if least and None not in (field.old, field.new) else field
    if shrinks(swapped, limit=True) is False:
        return nothing("containers may ask for more", LIMITS)
    return evicts("pods outside the new bounds are refused when they are made", LIMITS)


def limited(change: Change) -> Judgement:
    """A new range: defaults harm nobody, bounds refuse."""
    limits = change.resource.spec.get("limits", [])
    if change.fresh or not any({"min", "max", "maxLimitRequestRatio"} & set(limit) for limit in limits):
        return nothing("asked only when a pod is made", LIMITS)
    return evicts("pods outside the bounds are refused when they are made", LIMITS)


def sized(_: Change, field: Field, *, source: str) -> Judgement:
    """How many nodes a group has, or may have."""
    if isinstance(field.old, int) and isinstance(field.new, int) and field.new >= field.old:
        return nothing("more nodes: those that run stay", source)
    return replaces("fewer nodes: the cloud chooses which ones go", source)
