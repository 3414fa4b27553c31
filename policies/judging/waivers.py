"""What is allowed in spite of a rule: by an annotation on the object, by the profile, by a file beside the manifests.

A waiver has a reason and may have a last day; a complaint that it covers is shown as waived and stops nothing. One
that has ended, or gives no reason, stops nothing from being reported.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from bedplate.components.waiver import ANNOTATION, Waiver
from bedplate.policies.judging.verdict import Verdict
from bedplate.policies.values import text

DATED = re.compile(r"until (\d{4}-\d\d-\d\d): *(\S.*)", re.DOTALL)
FORM = "must be written `until 2027-01-31: reason`"


def today() -> date:
    """The day by the same clock as the API server's: UTC."""
    return datetime.now(UTC).date()


@dataclass(frozen=True)
class Allowed:
    """A waiver that is about a complaint."""

    reason: str
    until: date | None = None
    fault: str = ""
    """Why it cannot be read, as the end of a sentence."""

    def applied(self, verdict: Verdict, day: date) -> Verdict:
        """The verdict as waived, or with the word that its waiver does not hold."""
        if self.fault:
            return replace(verdict, message=f"{verdict.message} Its waiver {self.fault}.")
        if not self.reason:
            return replace(verdict, message=f"{verdict.message} Its waiver gives no reason.")
        if self.until and day > self.until:
            return replace(verdict, message=f"{verdict.message} Its waiver ended on {self.until}: {self.reason}.")
        term = f" until {self.until}" if self.until else ""
        message = f"{verdict.message} Waived{term}: {self.reason}."
        return replace(verdict, severity="waived", message=message, waiver=self.reason)


def noted(annotations: Mapping[str, object], rule: str) -> Allowed | None:
    """What an annotation of the object or of its pod template says about a rule."""
    value = annotations.get(f"{ANNOTATION}/{rule}")
    return None if value is None else _read(text(value).strip())


def _read(value: str) -> Allowed:
    if not value.startswith("until "):
        return Allowed(value.rstrip("."))
    parts = DATED.fullmatch(value)
    try:
        return Allowed(parts[2].rstrip("."), date.fromisoformat(parts[1])) if parts else Allowed("", fault=FORM)
    except ValueError:
        return Allowed("", fault=f"ends on {parts[1] if parts else ''}, which is no day; {FORM}")


def listed(waivers: Iterable[Waiver], rule: str, title: str) -> Allowed | None:
    """The first waiver of a list that covers a complaint."""
    found = next((each for each in waivers if each.covers(rule, title)), None)
    return Allowed(found.reason.rstrip("."), found.until) if found else None
