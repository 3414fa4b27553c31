"""What a rule is, and the way in which every rule judges: by the fields that it lists; any other field is unknown.

A path's `[...]` stand for any item, `{a,b}` for either name, and a last `*` for all that begins so: keys that people
choose, or a part of which the judgement holds whatever is written there.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from bedplate.review.changes import Change
from bedplate.review.danger import Danger, Judgement
from bedplate.review.fields import Field

Rule = Callable[[Change], Judgement]
"""A change in, a judgement out."""
Judge = Callable[[Change, Field], Judgement]
Fields = Mapping[str, Judgement | Judge]
"""What each field does when it changes: always the same, or as its values say."""
EMPTY: tuple[object, ...] = (None, {}, [], "")
_EITHER = re.compile(r"\{([^}]*)\}")


def nothing(reason: str, source: str) -> Judgement:
    """What runs goes on."""
    return Judgement(Danger.NOTHING, reason, source)


def rolls(reason: str, source: str) -> Judgement:
    """Pods of this stack start anew."""
    return Judgement(Danger.ROLLS_PODS, reason, source)


def refused(reason: str, source: str) -> Judgement:
    """The API server does not take it."""
    return Judgement(Danger.REFUSED, reason, source)


def evicts(reason: str, source: str) -> Judgement:
    """Jobs of teams are stopped, or can start no more."""
    return Judgement(Danger.EVICTS_JOBS, reason, source)


def reloads(reason: str, source: str) -> Judgement:
    """Drivers or the network go away for a while."""
    return Judgement(Danger.RELOADS, reason, source)


def loses(reason: str, source: str) -> Judgement:
    """A team may use less than before."""
    return Judgement(Danger.LOSES_QUOTA, reason, source)


def loses_data(reason: str, source: str) -> Judgement:
    """What was stored is gone."""
    return Judgement(Danger.LOSES_DATA, reason, source)


def unknown(fields: Iterable[Field]) -> Judgement:
    """Said of every field that a rule does not list."""
    paths = ", ".join(dict.fromkeys(field.path for field in fields))
    return Judgement(Danger.UNKNOWN, f"nothing here knows what {paths} does: look at it yourself", "")


OBJECT: Fields = {
    "metadata.annotations.{bedplate/*,bedplate.dev/*,pulumi.com/*}": nothing(
        "a note for the deployment, which no controller reads", "this stack; Pulumi docs: Kubernetes annotations"
    ),
    "metadata.labels.{app.kubernetes.io/*,bedplate/job}": nothing(
        "says what the object belongs to", "Kubernetes docs: recommended labels"
    ),
}
"""Of every Kubernetes object. Other labels and annotations are read by somebody: the rule of the kind lists those."""


@dataclass(frozen=True)
class Kind:
    """The rule of a kind: what its coming and going does, and each field that may change."""

    created: Judgement | Rule
    deleted: Judgement | Rule
    fields: Fields
    replaced: Judgement | Rule | None = None
    """As it is deleted, unless said."""
    otherwise: Judgement | None = None
    """Of fields that are not listed, where all of them do something at least as bad as unknown."""

    def __call__(self, change: Change) -> Judgement:
        """What a change does: of several fields the worst, and the others that nobody knows are named beside it."""
        match change.what:
            case "create":
                return _whole(self.created, change)
            case "delete":
                return _whole(self.deleted, change)
            case "replace":
                return _whole(self.replaced or self.deleted, change)
            case "update":
                return self._updated(change)

    def _updated(self, change: Change) -> Judgement:
        judged = [(field, self.judged(change, field)) for field in change.fields]
        strange = [field for field, judgement in judged if judgement is None]
        judgements = [judgement for _, judgement in judged if judgement]
        worst = max(judgements, key=lambda one: one.danger, default=None)
        if not strange:
            assert worst is not None  # noqa: S101 - an update has a field
            return worst
        if worst is None or worst.danger <= Danger.UNKNOWN:
            return unknown(strange)
        return Judgement(worst.danger, f"{worst.reason}; {unknown(strange).reason}", worst.source)

    def judged(self, change: Change, field: Field) -> Judgement | None:
        """What one field does: the longest path that is the field's says it; None if no path is."""
        judges = [judge for path, judge in self._paths if _covers(path, field.place)]
        if not judges and (field.moved or (field.old in EMPTY and field.new in EMPTY)):
            judges = [judge for path, judge in self._paths if path.startswith((f"{field.place}.", f"{field.place}["))]
        else:
            judges = judges[-1:]
        if not judges:
            return self.otherwise
        judgements = [judge if isinstance(judge, Judgement) else judge(change, field) for judge in judges]
        return max(judgements, key=lambda one: one.danger)

    @cached_property
    def _paths(self) -> list[tuple[str, Judgement | Judge]]:
        """Without braces, the shortest first."""
        paths = [(path, judge) for written, judge in self.fields.items() for path in expanded(written)]
        return sorted(paths, key=lambda one: len(one[0]))


def _whole(judge: Judgement | Rule, change: Change) -> Judgement:
    return judge if isinstance(judge, Judgement) else judge(change)


def _covers(path: str, place: str) -> bool:
    if path.endswith("*"):
        start = path.removesuffix("*")
        return place == start.rstrip(".") or place.startswith((start, f"{start.rstrip('.')}["))
    return place == path


def expanded(written: str) -> Iterator[str]:
    """Every path that a path with `{a,b}` stands for; `{a,b{c,d}}` is not understood."""
    parts = _EITHER.split(written)
    fixed, choices = parts[::2], [part.split(",") for part in parts[1::2]]
    for chosen in product(*choices):
        yield fixed[0] + "".join(one + rest for one, rest in zip(chosen, fixed[1:], strict=True))
