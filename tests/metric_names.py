"""The metrics that exporters really emit, as data with source and version: one file an exporter in `metrics/`.

Rules, dashboards and autoscalers are checked against them, because PromQL over a name that nobody emits is no error
but an empty answer.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "metrics"
HISTOGRAM_SERIES = ("_bucket", "_sum", "_count")


@dataclass(frozen=True)
class Exporter:
    """What one exporter emits."""

    name: str
    source: str
    """Public repository and file, or documentation page, that the names are from."""
    version: str
    metrics: Mapping[str, str]
    """Name to type: gauge, counter or histogram."""

    @property
    def series(self) -> frozenset[str]:
        """Names as PromQL sees them: a histogram is three."""
        kinds = self.metrics.items()
        plain = {name for name, kind in kinds if kind != "histogram"}
        return frozenset(
            plain | {f"{name}{end}" for name, kind in kinds if kind == "histogram" for end in HISTOGRAM_SERIES}
        )


@cache
def exporter(name: str) -> Exporter:
    """The exporter of that name; KeyError-free: every name in `Monitoring.exporters` has a file."""
    return Exporter(name=name, **json.loads((DATA / f"{name}.json").read_text(encoding="utf-8")))


def exporters() -> tuple[str, ...]:
    """All that we know."""
    return tuple(sorted(path.stem for path in DATA.glob("*.json")))
