"""One chart's way from a release to another, with all that is known of it."""

from dataclasses import dataclass
from typing import Any

from upgrades.fields import Difference, fields, keys, touched
from upgrades.records import Transition, Verdict, verdict, way


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

    @property
    def verdict(self) -> Verdict:
        """The worst of its steps; a key that would be dead needs a hand at least."""
        return max(verdict(self.steps), Verdict.MANUAL if self.dead else Verdict.SAFE)

    def as_json(self) -> dict[str, Any]:
        """What a machine reads."""
        return {
            "chart": self.chart,
            "from": self.old,
            "to": self.new,
            "verdict": self.verdict.label,
            "drains": [step.drains for step in self.steps if step.drains],
            "steps": [do for step in self.steps for do in step.steps],
            "sources": sorted({source for step in self.steps for source in step.sources}),
            "fields": None if self.fields is None else {"gone": self.fields.gone, "come": self.fields.come},
            "keys": None if self.keys is None else {"gone": self.keys.gone, "come": self.keys.come},
            "dead": self.dead,
        }


def upgrade(chart: str, old: str, new: str, overrides: dict[str, Any] | None = None) -> Upgrade:
    """Everything that is known of it."""
    compared = keys(chart, old, new)
    dead = tuple(touched(overrides or {}, compared.gone)) if compared else ()
    return Upgrade(chart, old, new, way(chart, old, new), fields(chart, old, new), compared, dead)
