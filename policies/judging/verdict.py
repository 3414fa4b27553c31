"""What a rule says about a resource, as every output shows it."""

import hashlib
from dataclasses import dataclass, field
from typing import Literal

from bedplate.policies.rule import Edit, Severity


@dataclass(frozen=True, order=True)
class Verdict:
    """One complaint of one rule, as every output shows it."""

    file: str
    resource: str
    rule: str
    severity: Severity | Literal["waived"]
    urn: str
    message: str
    waiver: str = ""
    """Why it stops nothing, where somebody allowed it."""
    hint: str = field(default="", compare=False)
    """What names the field at fault: the pod's role and the complaint without the rule's own words."""
    what: str = field(default="", compare=False)
    """The complaint without the rule's own words."""
    fix: str = field(default="", compare=False)
    """What to do here."""
    edits: tuple[Edit, ...] = field(default=(), compare=False)
    """What mends it, where nothing else does."""

    @property
    def fingerprint(self) -> str:
        """The same for the same complaint on another line."""
        parts = (self.rule, self.file, self.resource, self.hint)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]

    def as_json(self) -> dict[str, str]:
        """The fields that a machine reads."""
        names = ("file", "resource", "rule", "severity", "message")
        return {name: getattr(self, name) for name in names} | ({"waiver": self.waiver} if self.waiver else {})
