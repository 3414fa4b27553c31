"""On what a release of an operator runs, as its project says (`data/support.csv`): Kubernetes, systems, distributions.

A release or a place that no row has is not known, which is neither fine nor wrong: nobody has said that it was tried.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bedplate.catalog import table
from bedplate.catalog.sources import SOURCES

ANY = "any"
UPSTREAM = "upstream"
DISTRIBUTIONS: Mapping[str, str] = {"kubeadm": UPSTREAM, "talos": UPSTREAM}
"""Of platforms that are no distribution of their own."""


@dataclass(frozen=True)
class Support:
    """One system and distribution that a release was tried on."""

    chart: str
    release: str
    """Major and minor number."""
    system: str
    versions: tuple[str, ...]
    """Of the system."""
    distribution: str
    only_arch: str | None
    """The only architecture with driver containers; None: nothing is said of it."""
    oldest: int
    """Minor version of Kubernetes, or of OpenShift 4."""
    newest: int | None
    """None: no bound is published."""
    source: str

    @property
    def line(self) -> tuple[int, int]:
        """Its release, for comparing."""
        major, minor = self.release.split(".")
        return int(major), int(minor)

    @property
    def told(self) -> str:
        """Who says so, in words."""
        return SOURCES[self.source].text


@dataclass(frozen=True)
class Span:
    """Minor versions of Kubernetes, and who says so."""

    oldest: int
    newest: int | None
    told: str

    def __contains__(self, minor: int) -> bool:
        """Whether it was tried on this one."""
        return self.oldest <= minor and (self.newest is None or minor <= self.newest)

    def __str__(self) -> str:
        """As a message says it."""
        return f"1.{self.oldest} or later" if self.newest is None else f"1.{self.oldest} to 1.{self.newest}"


def _support(row: table.Row) -> Support:
    newest = _minor(row["newest"]) if table.said(row["newest"]) else None
    return table.made(Support, row, oldest=_minor(row["oldest"]), newest=newest)


def _minor(version: str) -> int:
    return int(version.split(".")[1])


_ROWS = tuple(map(_support, table.read("support")))
CHARTS = frozenset(row.chart for row in _ROWS)
RELEASES = tuple(dict.fromkeys((row.chart, row.line) for row in _ROWS))
"""Chart and line of every release that somebody has read of."""


def of_release(chart: str, line: tuple[int, int]) -> tuple[Support, ...]:
    """All that is known of a chart's release; nothing of one whose documentation nobody has read."""
    return tuple(row for row in _ROWS if row.chart == chart and row.line == line)


def kubernetes(chart: str, line: tuple[int, int], platform: str, system: str) -> Span | None:
    """On which Kubernetes a release was tried, on this platform and system as far as they were; None: not known.

    A platform or system that was not tried has the bounds of those that were.
    """
    here = [row for row in of_release(chart, line) if row.distribution != "openshift"]
    for narrower in (_on(here, platform), [row for row in _on(here, platform) if row.system in (ANY, system)]):
        here = narrower or here
    if not here:
        return None
    last = [row.newest for row in here if row.newest is not None]
    return Span(min(row.oldest for row in here), max(last, default=None), here[0].told)


def systems(chart: str, line: tuple[int, int], platform: str) -> frozenset[str]:
    """Operating systems that a release was tried with on a platform; empty: not known."""
    return frozenset(row.system for row in _on(of_release(chart, line), platform))


def only_arch(chart: str, line: tuple[int, int], system: str) -> Iterator[Support]:
    """Releases of a system for which driver containers are built for one architecture alone."""
    return (row for row in of_release(chart, line) if row.system == system and row.only_arch)


def _on(rows: list[Support] | tuple[Support, ...], platform: str) -> list[Support]:
    distribution = DISTRIBUTIONS.get(platform, platform)
    return [row for row in rows if row.distribution in (ANY, distribution)]
