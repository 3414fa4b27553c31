"""What a rule is, and the way in which every rule judges: by the fields that it lists; any other field is unknown.

A path's `[...]` stand for any item, `{a,b}` for either name, and a last `*` for all that begins so: keys that people
choose, or a part of which the judgement holds whatever is written there.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
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


nothing = partial(Judgement, Danger.NOTHING)
rolls = partial(Judgement, Danger.ROLLS_PODS)
refused = partial(Judgement, Danger.REFUSED)
evicts = partial(Judgement, Danger.EVICTS_JOBS)
reloads = partial(Judgement, Danger.RELOADS_DRIVERS_OR_NETWORK)
replaces = partial(Judgement, Danger.REPLACES_NODES)
loses = partial(Judgement, Danger.LOSES_QUOTA)


def unknown(fields: Iterable[Field]) -> Judgement:
    """The judgement of fields that a rule does not list."""
    paths = ", ".join(dict.fromkeys(field.path for field in fields))
    return Judgement(Danger.UNKNOWN, f"nothing here knows what {paths} does: look at it yourself", "")


@dataclass(frozen=True)
class Kind:
    """The rule of a kind: what its creation and its deletion do, and each field that may change."""

    create: Judgement | Rule
    delete: Judgement | Rule
    fields: Fields
    replace: Judgement | Rule | None = None
    """As a deletion, unless stated."""
    otherwise: Judgement | None = None
    """The judgement of fields that are not listed, where each of them does something at least as bad as unknown."""

    def __call__(self, change: Change) -> Judgement:
        """What a change does: the worst of its fields, with the fields beside it that no rule lists."""
        match change.what:
            case "create":
                return _whole(self.create, change)
            case "delete":
                return _whole(self.delete, change)
            case "replace":
                return _whole(self.replace or self.delete, change)
            case "update":
                return self._updated(change)

    def _updated(self, change: Change) -> Judgement:
        judged = [(field, self.judged(change, field)) for field in change.fields]
        unlisted = [field for field, judgement in judged if judgement is None]
        judgements = [judgement for _, judgement in judged if judgement]
        worst = max(judgements, key=_danger, default=None)
        if not unlisted:
            assert worst is not None  # noqa: S101 - an update has a field
            return worst
        if worst is None or worst.danger <= Danger.UNKNOWN:
            return unknown(unlisted)
        return Judgement(worst.danger, f"{worst.reason}; {unknown(unlisted).reason}", worst.source)

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
        return max(judgements, key=_danger)

    @cached_property
    def _paths(self) -> list[tuple[str, Judgement | Judge]]:
        """Without braces, the shortest first."""
        paths = [(path, judge) for written, judge in self.fields.items() for path in expanded(written)]
        return sorted(paths, key=lambda judged: len(judged[0]))


def _danger(judgement: Judgement) -> Danger:
    return judgement.danger


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
        yield fixed[0] + "".join(choice + rest for choice, rest in zip(chosen, fixed[1:], strict=True))
