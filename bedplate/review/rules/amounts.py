"""Amounts and lists of which less is a loss: quotas, limits, what is covered."""

from decimal import Decimal, InvalidOperation

from bedplate.components.quantity import amount
from bedplate.review.changes import Change
from bedplate.review.danger import Danger, Judgement
from bedplate.review.fields import Field
from bedplate.review.rules.rule import Judge, nothing


def quantity(value: object) -> Decimal | None:
    """As Kubernetes reads it; None of what is no quantity."""
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


def share(source: str, *, limit: bool = False) -> Judge:
    """The judge of an amount that a team is granted."""

    def judge(_: Change, field: Field) -> Judgement:
        less = shrinks(field, limit=limit)
        shown = f"{field.path.removeprefix('spec.')} {field.old} → {field.new}"
        if less is None:
            return Judgement(Danger.UNKNOWN, f"nobody can compare {shown}", source)
        if less:
            return Judgement(Danger.LOSES_QUOTA, f"a share shrinks: {shown}", source)
        return nothing("no share shrinks; what is admitted stays admitted", source)

    return judge


def less(what: str, source: str) -> Judge:
    """The judge of an item by its name: its coming is harmless, its going is a loss."""

    def judge(change: Change, field: Field) -> Judgement:
        after = {other.new for other in change.fields if other.place == field.place}
        if field.old is None or field.old in after:  # only its place in the list changes
            return nothing("no share shrinks; what is admitted stays admitted", source)
        return Judgement(Danger.LOSES_QUOTA, f"{what} {field.old} is no longer granted", source)

    return judge
