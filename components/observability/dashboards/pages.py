"""All dashboards of a cluster: those that have something to show."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from bedplate.components.facts import Facts
from bedplate.components.observability.dashboards.grafana import grafana_json
from bedplate.components.observability.dashboards.panel import Dashboard, dashboard

NAMES = ("cluster", "node", "health", "job", "fabric", "efa", "storage", "vllm", "triton")


@cache
def every() -> tuple[Dashboard, ...]:
    """Each dashboard, whatever the cluster has."""
    return tuple(dashboard(name) for name in NAMES)


def pages(facts: Facts) -> Iterator[dict[str, Any]]:
    """Grafana's JSON of each that has something to show."""
    present = frozenset(_present(facts))
    shown = frozenset(each.uid for each in every() if any(row.needs <= present for row in each.rows))
    yield from filter(None, (grafana_json(each, present, shown) for each in every()))


def _present(facts: Facts) -> Iterator[str]:
    """The exporters, and what decides whether some of their metrics exist."""
    if facts.monitoring is None:
        return
    yield from facts.monitoring.exporters
    if facts.monitoring.profiling:
        yield "dcgm-profiling"
    if facts.fabric.kind in ("infiniband", "roce", "gib"):
        yield "rdma"
    if facts.fabric.kind in ("roce", "gib"):
        yield "roce"
    if facts.health:
        yield "health"
    if facts.monitoring.volumes:
        yield "measured-volumes"
