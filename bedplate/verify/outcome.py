"""What a check can come to. Unknown is no pass: a log that breaks off, a job that never started."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

Status = Literal["passed", "failed", "unknown"]
CLEAN, FAILED, UNKNOWN = 0, 1, 3
"""Exit statuses; 2 is a wrong command, or a cluster that does not answer."""


@dataclass(frozen=True)
class Case:
    """One check of one thing."""

    check: str
    """Such as `NVLink`."""
    subject: str
    """A node, a pair of nodes, a volume or a server."""
    status: Status
    text: str = ""
    """What was measured, or what is wrong."""


@dataclass(frozen=True)
class Outcome:
    """All of them, and what nobody looked at."""

    stack: str
    level: str
    cases: tuple[Case, ...]
    not_checked: tuple[str, ...] = ()
    finished: datetime = field(default_factory=lambda: datetime.now(UTC))
    """By the clock of the machine that asked."""

    @property
    def counts(self) -> dict[Status, int]:
        """How many of each."""
        statuses = Counter(case.status for case in self.cases)
        return {"passed": statuses["passed"], "failed": statuses["failed"], "unknown": statuses["unknown"]}

    @property
    def exit_status(self) -> int:
        """Clean only if something was looked at and all of it passed."""
        if self.counts["failed"]:
            return FAILED
        return CLEAN if self.counts["passed"] and not self.counts["unknown"] else UNKNOWN

    def as_json(self) -> Mapping[str, Any]:
        """What a machine reads."""
        return {
            "stack": self.stack,
            "level": self.level,
            "finished": self.finished.isoformat(timespec="seconds"),
            "counts": self.counts,
            "cases": [asdict(case) for case in self.cases],
            "notChecked": list(self.not_checked),
        }


def judged(check: str, subject: str, faults: Iterable[str], well: str = "") -> Case:
    """Failed with its faults, or passed with what was seen."""
    wrong = list(faults)
    return Case(check, subject, "failed", "; ".join(wrong)) if wrong else Case(check, subject, "passed", well)


def one_driver(cases: Iterable[Case]) -> list[Case]:
    """Nodes of one cluster that pass each by itself, and run different drivers."""
    by_driver: dict[str, list[str]] = {}
    for case in cases:
        if case.check == "driver" and case.status == "passed":
            by_driver.setdefault(case.text, []).append(case.subject)
    if len(by_driver) <= 1:
        return []
    few = min(by_driver, key=lambda driver: len(by_driver[driver]))
    return [Case("driver", "all nodes", "failed", f"{', '.join(by_driver[few])}: {few}; the others: another")]
