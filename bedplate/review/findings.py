"""Every change with what it does, the dangerous first, and whether the profile acknowledges it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from bedplate.review.changes import Change, changes
from bedplate.review.danger import BY_LABEL, Danger, Judgement
from bedplate.review.plans import Plan
from bedplate.review.rules import judged


@dataclass(frozen=True)
class Finding:
    """A change with its judgement."""

    change: Change
    judgement: Judgement
    acknowledged: str = ""
    """The profile's reason for it, if it acknowledges it."""

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
    """All differences of two plans, the most dangerous first."""
    acknowledged = (new.profile or {}).get("acknowledged", ())
    all_ = [_finding(change, acknowledged) for change in changes(old.resources, new.resources, new.engine)]
    return sorted(all_, key=lambda finding: -finding.judgement.danger)


def _finding(change: Change, acknowledged: Sequence[Mapping[str, str]]) -> Finding:
    """The change with its judgement, and the reason of an acknowledgement of this resource and at least this danger."""
    judgement = judged(change)
    name = f"{change.resource.kind}/{change.resource.name}"
    reasons = (
        entry["reason"]
        for entry in acknowledged
        if fnmatchcase(name, entry["change"]) and BY_LABEL[entry["danger"]] >= judgement.danger
    )
    return Finding(change, judgement, next(reasons, ""))


def failing(findings: Iterable[Finding], level: Danger) -> list[Finding]:
    """Those at or above a level without acknowledgement; what no rule knows may be as bad as any level."""
    dangers = {danger for danger in Danger if danger >= level} | {Danger.UNKNOWN}
    return [finding for finding in findings if not finding.acknowledged and finding.judgement.danger in dangers]
