"""What was seen of each recorded step on a real API server: both releases' CRDs, and fifty objects of people.

`proven.json` of a chart is written by `python -m tests.tools.upgrades`. There the old release's CRDs are applied,
objects of every kind that people write are made, the new CRDs come as this stack applies them (docs/crds.md), every
object is read and written, and then the old CRDs come back. No container ran, and no controller but Kueue's, whose
webhook converts.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bedplate import charts
from bedplate.upgrades.fields import fields
from bedplate.upgrades.records import Transition, Verdict

FILE = "proven.json"


@dataclass(frozen=True)
class Proof:
    """Of one step; what is not there did not happen."""

    objects: Mapping[str, int]
    """How many of each kind."""
    upgrade: Mapping[str, Any]
    """`definitionsRefused`, `lost`, `refused` (writing it), `pruned` (fields), `changed` (values), `manifestsRefused`
    (the same text applied again)."""
    back: Mapping[str, Any]
    stored: Mapping[str, list[list[str]]]
    """Versions that the API server keeps objects in, before and after, where they are others."""
    unshown: Mapping[str, str]
    """Fields that go, and that no valid object could set even before."""

    @property
    def worst(self) -> Verdict:
        """What it is at least, as far as people's objects go."""
        if self.upgrade.get("definitionsRefused") or self.upgrade.get("lost"):
            return Verdict.BLOCKED
        return Verdict.MANUAL if self.upgrade or self.back or self.stored or self.unshown else Verdict.SAFE

    def says(self) -> Iterator[str]:
        """For people: what became of the objects, and of the way back."""
        number = sum(self.objects.values())
        yield f"tried with {number} objects ({', '.join(sorted(self.objects))}): {_said(self.upgrade)}"
        yield f"and back: {_said(self.back)}"
        for (before, after), names in self._moved().items():
            yield f"stored in {after} from now on, in {before} before: {', '.join(names)}"

    def _moved(self) -> Mapping[tuple[str, str], list[str]]:
        """By the newest versions before and after, the plural names of what moved."""
        moved: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        for name, (before, after) in self.stored.items():
            if before and after:
                moved[before[-1], after[-1]].append(name.partition(".")[0])
        return moved


def _said(seen: Mapping[str, Any]) -> str:
    words = {
        "definitionsRefused": "the API server refuses {}",
        "lost": "lost {}",
        "refused": "can no longer be written: {}",
        "pruned": "dropped {}",
        "changed": "changed {}",
        "manifestsRefused": "no longer applies as it was written: {}",
    }
    return "; ".join(text.format(", ".join(seen[key])) for key, text in words.items() if seen.get(key)) or "none lost"


def _proven(chart: str, part: str, key: str) -> Any:  # noqa: ANN401 - each part has a shape of its own
    measured: Mapping[str, Any] = charts.measured(chart, FILE) or {part: {}}
    return measured[part].get(key)


def proof(step: Transition) -> Proof | None:
    """None: nobody tried it."""
    record = _proven(step.chart, "steps", f"{step.old} {step.new}")
    if record is None:
        return None
    kept = ((key, record.get(key, {})) for key in ("objects", "upgrade", "back", "stored", "unshown"))
    return Proof(**dict(kept))


def definitions(chart: str, version: str) -> Mapping[str, str]:
    """Digests of a release's CRDs, as they were tried."""
    return _proven(chart, "definitions", version) or {}


def returning(step: Transition) -> Verdict:
    """What the way back is, as it was seen: no object may be lost, nor become one that cannot be written."""
    record = proof(step)
    if record is None:
        return Verdict.UNKNOWN
    stuck = any(record.back.get(key) for key in ("definitionsRefused", "lost", "refused"))
    return Verdict.BLOCKED if stuck or record.worst == Verdict.BLOCKED else Verdict.MANUAL


def worst(step: Transition) -> Verdict:
    """What a step is at least: by its proof, and by what its schemas drop and refuse."""
    record, schemas = proof(step), fields(step.chart, step.old, step.new)
    if record is None or schemas is None:
        return Verdict.UNKNOWN
    return max(record.worst, Verdict.MANUAL if schemas.gone or schemas.narrower else Verdict.SAFE)
