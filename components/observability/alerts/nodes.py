"""Alerts on what the scheduler sees: GPUs that are missing, unhealthy or not watched."""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from bedplate.components.facts import Facts, NodePool
from bedplate.components.observability.alerts.alert import Alert, Group, read


def spelt(resource: str) -> str:
    """A resource as kube-state-metrics writes it: an underscore for what a label value of its own may not have."""
    return re.sub(r"[^a-zA-Z0-9_]", "_", resource)


def nodes(facts: Facts) -> tuple[Group, ...]:
    """What kube-state-metrics says about GPU nodes, with and without DCGM."""
    if not facts.gpu_pools:
        return ()
    of_nodes, exporters = read("nodes")
    pools = by_resource(facts)
    counts = [alert for resource in pools for alert in _counts(resource, pools[resource], only=len(pools) == 1)]
    return (replace(of_nodes, alerts=(*of_nodes.alerts, *counts)), exporters)


def by_resource(facts: Facts) -> Mapping[str, list[tuple[NodePool, int]]]:
    """GPU pools and how much a node of each offers, by the resource as kube-state-metrics spells it."""
    pools: dict[str, list[tuple[NodePool, int]]] = defaultdict(list)
    for pool in facts.gpu_pools:
        for resource, units in pool.gpu_resources.items():
            pools[spelt(resource)].append((pool, units))
    return pools


def _counts(resource: str, pools: list[tuple[NodePool, int]], *, only: bool) -> tuple[Alert, ...]:
    capacity = f'kube_node_status_capacity{{resource="{resource}"}}'
    (group,) = read(
        "node_counts",
        resource=resource,
        capacity=capacity,
        sizes=" or ".join(f"{capacity} == {size}" for size in sorted({units for _, units in pools})),
        total=str(sum(pool.bounds[0] * units for pool, units in pools)),
        suffix="" if only else "".join(part.capitalize() for part in resource.split("_")[2:]),
    )
    return group.alerts
