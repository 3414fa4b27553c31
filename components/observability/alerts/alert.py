"""Alerts as data: `<subject>.yaml` has the groups of a subject, with `texts` of which they are made (`texts.py`)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from bedplate.components.observability.texts import document, filled

Severity = Literal["critical", "warning", "info"]
Action = Literal["isolate", "reboot", "reset", "monitor"]
"""What to do with the node: replace it, reboot it, reset the GPU (both after a drain), or only look."""


@dataclass(frozen=True)
class Alert:
    """A rule; names, units and labels are those of the exporters named in its group."""

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
class Record:
    """A series that Prometheus keeps of an expression, so that alerts and people ask the same."""

    name: str
    """By Prometheus' convention: what is left of the labels, the metric, the operation."""
    expr: str
    labels: Mapping[str, str] = field(default_factory=dict[str, str])

    def rule(self) -> dict[str, Any]:
        """As a PrometheusRule takes it."""
        return {"record": self.name, "expr": self.expr, **({"labels": dict(self.labels)} if self.labels else {})}


@dataclass(frozen=True)
class Group:
    """Alerts on one subject that need the same exporters."""

    name: str
    exporters: frozenset[str]
    """All of them must be scraped, or the alerts would be silent for ever."""
    alerts: tuple[Alert, ...]
    records: tuple[Record, ...] = ()
    """What the alerts ask of; evaluated before them."""

    def rules(self) -> list[dict[str, Any]]:
        """Its rules as a PrometheusRule takes them."""
        return [rule.rule() for rule in (*self.records, *self.alerts)]


def read(subject: str, when: Collection[str] = (), **texts: str) -> tuple[Group, ...]:
    """The groups of a file that have alerts: those without a condition (`when`), and those whose condition is named.

    `texts` are what only the cluster's facts say, besides those of the file.
    """
    said = document(f"alerts/{subject}")
    texts = {**said.get("texts", {}), **texts}
    groups = (
        Group(name, frozenset(filled(group["exporters"], texts)), tuple(_alerts(group["alerts"], when, texts)))
        for name, group in said["groups"].items()
    )
    return tuple(group for group in groups if group.alerts)


def _alerts(said: list[dict[str, Any]], when: Collection[str], texts: Mapping[str, str]) -> list[Alert]:
    possible = (alert for alert in said if alert.get("when") in (None, *when))
    return [Alert(**filled({key: value for key, value in alert.items() if key != "when"}, texts)) for alert in possible]
