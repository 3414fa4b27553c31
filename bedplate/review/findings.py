"""Every change with what it does, the dangerous first, and whether somebody has said yes to it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from bedplate.review.changes import Change, changes
from bedplate.review.danger import BY_LABEL, Danger, Judgement
from bedplate.review.plans import Plan
from bedplate.review.rules import judged


@dataclass(frozen=True)
class Finding:
    """One change."""

    change: Change
    judgement: Judgement
    acknowledged: str = ""
    """Why it is wanted, if the profile says so."""

    @property
    def title(self) -> str:
        """`update Release gpu-operator`."""
        return f"{self.change.what} {self.change.resource.kind} {self.change.resource.name}"

    def as_json(self) -> Mapping[str, Any]:
        """What a machine reads."""
        return {
            "what": self.change.what,
            "urn": self.change.resource.urn,
            "danger": self.judgement.danger.label,
            "reason": self.judgement.reason,
            "source": self.judgement.source,
            "acknowledged": self.acknowledged,
            "fields": [{"path": field.path, "old": field.old, "new": field.new} for field in self.change.fields],
        }


def findings(old: Plan, new: Plan) -> list[Finding]:
    """All differences of two plans."""
    wanted = _wanted(new.profile)
    found = [_finding(change, wanted) for change in changes(old.resources, new.resources, new.said)]
    return sorted(found, key=lambda one: -one.judgement.danger)


def _finding(change: Change, wanted: Sequence[Mapping[str, str]]) -> Finding:
    judgement = judged(change)
    return Finding(change, judgement, next(_reasons(change, judgement.danger, wanted), ""))


def _reasons(change: Change, danger: Danger, wanted: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """Of acknowledgements that name this resource and at least this danger."""
    for one in wanted:
        if (
            fnmatchcase(f"{change.resource.kind}/{change.resource.name}", one["change"])
            and BY_LABEL[one["danger"]] >= danger
        ):
            yield one["reason"]


def _wanted(profile: Mapping[str, Any] | None) -> Sequence[Mapping[str, str]]:
    return (profile or {}).get("acknowledged", ())


def failing(found: Iterable[Finding], level: Danger) -> list[Finding]:
    """Those at or above a level that nobody has said yes to; what nobody knows may be as bad as any level."""
    reached = (one for one in found if one.judgement.danger >= level or one.judgement.danger == Danger.UNKNOWN)
    return [one for one in reached if not one.acknowledged]
