"""What a rule is: a change in, a judgement out."""

from collections.abc import Callable

from review.changes import Change
from review.danger import Danger, Judgement

Rule = Callable[[Change], Judgement]


def always(danger: Danger, reason: str, source: str) -> Rule:
    """A rule for what does the same whatever happens to it."""
    return lambda _: Judgement(danger, reason, source)
