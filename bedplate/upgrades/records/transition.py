"""What a record says of one step from a release of a chart to the next."""

from dataclasses import dataclass
from enum import IntEnum


class Verdict(IntEnum):
    """From harmless to impossible."""

    SAFE = 0
    """Shown with fifty objects of people (`bedplate/upgrades/proven.json`): nothing is lost, refused or dropped,
    neither on the way nor back, the new release refuses nothing that the old one took, and its notes ask nothing."""
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
