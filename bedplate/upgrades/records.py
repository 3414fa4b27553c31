"""What each step between two releases of a chart does: its verdict, what it drains, and what to do about it.

Each chart's `upgrades.toml` in `bedplate/charts/` has its own. Steps are between neighbours that we know; a way is as
bad as the worst of its steps, and a step that is not there is unknown, which is never safe. A record claims no more
than the run with both releases' CRDs showed (`proofs.py`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from bedplate import charts

FILE = "upgrades.toml"


class Verdict(IntEnum):
    """From harmless to impossible."""

    SAFE = 0
    """Shown with fifty objects of people (`proven.json` of the chart): nothing is lost, refused or dropped, neither on
    the way nor back, the new release refuses nothing that the old one took, and its notes ask nothing."""
    MANUAL = 1
    """Goes well with the steps that are given."""
    UNKNOWN = 2
    BLOCKED = 3
    """The API server refuses it as things are; the steps say what must be done before."""

    @property
    def label(self) -> str:
        """As people read it."""
        return self.name.lower()


@dataclass(frozen=True)
class Transition:
    """One step."""

    chart: str
    old: str
    new: str
    verdict: Verdict
    drains: str
    """Whom it disturbs; empty: nobody."""
    steps: tuple[str, ...]
    """What to do, in order."""
    sources: tuple[str, ...]
    """Who says so: documents, and the drill where there is one. What happens to objects is proven besides."""


def recorded(chart: str) -> Iterator[Transition]:
    """The steps of a chart, oldest first."""
    file = charts.stated(chart, FILE)
    for step in file.get("steps", ()):
        verdict, drains = Verdict[step["verdict"].upper()], step.get("drains", file.get("drains", ""))
        yield Transition(chart, step["old"], step["new"], verdict, drains, tuple(step["do"]), tuple(step["sources"]))


def every() -> tuple[Transition, ...]:
    """The steps of every chart."""
    return tuple(step for chart in charts.names(FILE) for step in recorded(chart))


def way(chart: str, old: str, new: str) -> tuple[Transition, ...]:
    """The steps from one release to another; empty where one of them is not known."""
    steps = {step.old: step for step in recorded(chart)}
    passed: list[Transition] = []
    while old != new:
        if old not in steps or steps[old] in passed:
            return ()
        passed.append(steps[old])
        old = steps[old].new
    return tuple(passed)


def verdict(steps: tuple[Transition, ...]) -> Verdict:
    """The worst of a way; no way is unknown."""
    return max((step.verdict for step in steps), default=Verdict.UNKNOWN)


def releases(chart: str) -> tuple[str, ...]:
    """Those that have a record, oldest first."""
    return tuple(dict.fromkeys(release for step in recorded(chart) for release in (step.old, step.new)))
