"""All dashboards of a cluster: those that have something to show."""

from collections.abc import Iterator
from typing import Any

from bedplate.components.facts import Facts
from bedplate.components.observability.dashboards.cluster import CLUSTER
from bedplate.components.observability.dashboards.efa import EFA
from bedplate.components.observability.dashboards.fabric import FABRIC
from bedplate.components.observability.dashboards.grafana import grafana_json
from bedplate.components.observability.dashboards.job import JOB
from bedplate.components.observability.dashboards.node import NODE
from bedplate.components.observability.dashboards.storage import STORAGE
from bedplate.components.observability.dashboards.triton import TRITON
from bedplate.components.observability.dashboards.vllm import VLLM

EVERY = (CLUSTER, NODE, JOB, FABRIC, EFA, STORAGE, VLLM, TRITON)


def pages(facts: Facts) -> Iterator[dict[str, Any]]:
    """Grafana's JSON of each."""
    present = frozenset(what_is_there(facts))
    for dashboard in EVERY:
        if page := grafana_json(dashboard, present):
            yield page


def what_is_there(facts: Facts) -> Iterator[str]:
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
    if facts.monitoring.volumes:
        yield "measured-volumes"
