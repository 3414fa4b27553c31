"""Which of DCGM's fields the exporter reads.

The exporter's own list lacks what tells a broken GPU from a busy one: Xid events, ECC, NVLink errors and throttling.
`dcgm_counters.csv` has ours. Counters of NVLink 5 are Blackwell's, which has none of the older ones (DCGM,
dcgm_fields.h). An exporter too old to know a name does not start (NVIDIA/dcgm-exporter, counter_config.go), so they are
for clusters with such GPUs alone. Those of profiling hold the GPU's profiler: beside them Nsight and CUPTI fail on
Ampere and older (NVIDIA/DCGM#56).
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.facts import Monitoring


class Counter(NamedTuple):
    """A line of the exporter's list; a help text has no comma, at which the exporter splits."""

    name: str
    kind: str
    """gauge, counter or label."""
    help: str


@cache
def _counters() -> tuple[tuple[str, Counter], ...]:
    """When each is read, and the line, in the order of `dcgm_counters.csv`."""
    _, *lines = Path(__file__).with_suffix(".csv").read_text(encoding="utf-8").splitlines()
    rows = ([cell.strip() for cell in line.split(",")] for line in lines)
    return tuple((when, Counter(*cells)) for when, *cells in rows)


def counters(monitoring: Monitoring) -> tuple[Counter, ...]:
    """Everything the exporter will read."""
    read = {"always": True, "nvlink5": monitoring.nvlink5, "profiling": monitoring.profiling}
    return tuple(counter for when, counter in _counters() if read[when])


def csv(monitoring: Monitoring) -> str:
    """The list in the exporter's format."""
    return "".join(f"{c.name}, {c.kind}, {c.help}\n" for c in counters(monitoring))


def config_map_name(monitoring: Monitoring) -> str:
    """Named by its content, so that a new list restarts the exporter, which reads it once."""
    digest = hashlib.sha256(csv(monitoring).encode()).hexdigest()
    return f"dcgm-metrics-{digest[:8]}"


def counters_config_map(monitoring: Monitoring, home: pulumi.Input[str], opts: pulumi.ResourceOptions) -> None:
    """The list as the GPU Operator takes it: the key `dcgm-metrics.csv` of a ConfigMap in its namespace."""
    name = config_map_name(monitoring)
    k8s.core.v1.ConfigMap(
        "dcgm-metrics",
        metadata={"name": name, "namespace": home},
        data={"dcgm-metrics.csv": csv(monitoring)},
        opts=opts,
    )
