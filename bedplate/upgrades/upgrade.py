"""One chart's way from a release to another, with all that is known of it."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from bedplate.components.version import is_semantic, line
from bedplate.upgrades.fields import Difference, fields, keys, touched
from bedplate.upgrades.proofs import proof, returning
from bedplate.upgrades.records import Transition, Verdict, releases, verdict, way


@dataclass(frozen=True)
class Upgrade:
    """One chart's way."""

    chart: str
    old: str
    new: str
    steps: tuple[Transition, ...]
    fields: Difference | None
    keys: Difference | None
    dead: tuple[str, ...] = ()
    """Keys of the profile's overrides that the new release does not read."""
    taken: tuple[str, ...] = ()
    """Releases that nobody tried, each with the one of its line that stands for it."""

    @property
    def verdict(self) -> Verdict:
        """The worst of its steps; a key that would be dead and a release that is taken for another need a hand."""
        return max(verdict(self.steps), Verdict.MANUAL if self.dead or self.taken else Verdict.SAFE)

    @property
    def back(self) -> Verdict:
        """Of the way from the newer release to the older one: by what was seen of people's objects on it alone."""
        return max((returning(step) for step in self.steps), default=Verdict.UNKNOWN)

    def as_json(self) -> dict[str, Any]:
        """What a machine reads."""
        return {
            "chart": self.chart,
            "from": self.old,
            "to": self.new,
            "verdict": self.verdict.label,
            "taken": self.taken,
            "drains": [step.drains for step in self.steps if step.drains],
            "steps": [do for step in self.steps for do in step.steps],
            "sources": sorted({source for step in self.steps for source in step.sources}),
            "fields": self.fields and asdict(self.fields),
            "keys": None if self.keys is None else {"gone": self.keys.gone, "come": self.keys.come},
            "dead": self.dead,
            "tried": [_tried(step) for step in self.steps],
        }


def upgrade(chart: str, old: str, new: str, overrides: dict[str, Any] | None = None) -> Upgrade:
    """Everything that is known of it."""
    compared = keys(chart, old, new)
    dead = tuple(touched(overrides or {}, compared.gone)) if compared else ()
    start, end = tried_for(chart, old), tried_for(chart, new)
    taken = tuple(_others((old, start), (new, end)))
    return Upgrade(chart, old, new, way(chart, start, end), fields(chart, start, end), compared, dead, taken)


def tried_for(chart: str, version: str) -> str:
    """The recorded release that stands for one: itself, or the one of its line, which has the same API."""
    recorded = releases(chart)
    if version in recorded or not is_semantic(version):
        return version
    return next((tried for tried in recorded if line(tried) == line(version)), version)


def _others(*pairs: tuple[str, str]) -> Iterator[str]:
    return (f"{version} is taken for {stands}, which was tried" for version, stands in pairs if version != stands)


def _tried(step: Transition) -> dict[str, Any] | None:
    record = proof(step)
    if record is None:
        return None
    return {"from": step.old, "to": step.new, "objects": record.objects, "upgrade": record.upgrade, "back": record.back}
