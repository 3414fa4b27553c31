"""What is published about releases and pairs of them that stacks install: `data/advisories.csv`, a row each.

Advisories, and releases that harm a cluster of this kind without anybody calling it so.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from semver import Version

from bedplate.catalog import table

PAIR = re.compile(r"(?P<product>[^<>=!]+)(?P<releases>[<>=!].+)")
WORDS = ("severity", "source", "what")
SEVERITIES = ("critical", "high", "medium", "low", "unknown")
"""The gravest first."""


@dataclass(frozen=True)
class Advisory:
    """One of them."""

    id: str
    aliases: str
    """A further name of it, or `none`."""
    product: str
    """A chart, or the last part of an image's name."""
    beside: str
    """Another product that must be there for it, as `kubeflow-trainer>=2.3.0`; empty: none."""
    since: Version
    fixed: Version
    """The first release without it."""
    severity: str
    source: str
    what: str

    def concerns(self, release: str) -> bool:
        """Whether a release has it; one that is no version, such as `latest`, cannot be told."""
        plain = release.removeprefix("v")
        return Version.is_valid(plain) and self.since <= Version.parse(plain) < self.fixed

    def meets(self, releases: Mapping[str, str]) -> bool:
        """Whether what it needs beside the product is among them."""
        found = PAIR.fullmatch(self.beside)
        plain = releases.get(found["product"], "").removeprefix("v") if found else ""
        return not found or (Version.is_valid(plain) and Version.parse(plain).match(found["releases"]))


def open_in(releases: Mapping[str, str]) -> Iterator[tuple[Advisory, str]]:
    """Each advisory that one of these products has, with its release."""
    for advisory in ADVISORIES:
        release = releases.get(advisory.product, "")
        if advisory.concerns(release) and advisory.meets(releases):
            yield advisory, release


def _read() -> Iterator[Advisory]:
    for row in table.read("advisories"):
        since, fixed = Version.parse(row["since"]), Version.parse(row["fixed"])
        beside = "" if row["beside"] == table.NONE else row["beside"]
        yield Advisory(row["id"], row["aliases"], row["product"], beside, since, fixed, *map(row.__getitem__, WORDS))


ADVISORIES = tuple(_read())
NAMED = {one.id: one for one in ADVISORIES}
"""By their own names."""
