"""An alert as data."""

from dataclasses import dataclass
from typing import Any, Literal

Severity = Literal["critical", "warning", "info"]
Action = Literal["isolate", "reboot", "reset", "monitor"]
"""What to do with the node: replace it, reboot it, reset the GPU (both after a drain), or only look."""


@dataclass(frozen=True)
class Alert:
    """One rule; names, units and labels are those of the exporters named in its group."""

    name: str
    expr: str
    summary: str
    """One line for the person on call; `{{ $labels.node }}` and the like are filled in."""
    what_to_do: str
    severity: Severity = "warning"
    action: Action = "monitor"
    hold: str = "0m"
    """How long it must be so before anybody is told."""
    keep: str | None = None
    """How long it goes on after the expression stopped, for events that are gone at the next scrape."""

    def rule(self) -> dict[str, Any]:
        """As a PrometheusRule takes it."""
        return {
            "alert": self.name,
            "expr": self.expr,
            "for": self.hold,
            **({"keep_firing_for": self.keep} if self.keep else {}),
            "labels": {"severity": self.severity, "action": self.action},
            "annotations": {"summary": self.summary, "description": self.what_to_do},
        }


@dataclass(frozen=True)
class Group:
    """Alerts on one subject that need the same exporters."""

    name: str
    exporters: frozenset[str]
    """All of them must be scraped, or the alerts would be silent for ever."""
    alerts: tuple[Alert, ...]
