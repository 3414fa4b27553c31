"""Published advisories about what stacks install: `data/advisories.csv`, a row each, with the releases that have it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from semver import Version

from bedplate.catalog import table

SEVERITIES = ("critical", "high", "medium", "low", "unknown")
"""The gravest first."""


@dataclass(frozen=True)
class Advisory:
    """One of them."""

    id: str
    product: str
    """A chart, or the last part of an image's name."""
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


def open_in(releases: Mapping[str, str]) -> Iterator[tuple[Advisory, str]]:
    """Each advisory that one of these products has, with its release."""
    for advisory in ADVISORIES:
        release = releases.get(advisory.product, "")
        if advisory.concerns(release):
            yield advisory, release


def _read() -> Iterator[Advisory]:
    for row in table.read("advisories"):
        since, fixed = Version.parse(row["since"]), Version.parse(row["fixed"])
        yield Advisory(row["id"], row["product"], since, fixed, row["severity"], row["source"], row["what"])


ADVISORIES = tuple(_read())
