"""Alerts on what the scheduler sees: GPUs that are missing, unhealthy or not watched."""

import re
from collections import defaultdict
from collections.abc import Mapping

from bedplate.components.facts import Facts, NodePool
from bedplate.components.observability.alerts.alert import Alert, Group

GPU_RESOURCES = "nvidia_com_gpu.*|nvidia_com_mig.*"
"""kube-state-metrics writes an underscore for what a label value of its own may not have."""


def nodes(facts: Facts) -> tuple[Group, ...]:
    """What kube-state-metrics says about GPU nodes, with and without DCGM."""
    if not facts.gpu_pools:
        return ()
    scheduler = frozenset({"kube-state-metrics"})
    pools = by_resource(facts)
    counts = tuple(alert for resource in pools for alert in _counts(resource, pools[resource], only=len(pools) == 1))
    return (
        Group("nodes", scheduler, (UNHEALTHY, *counts)),
        Group("exporters", scheduler | {"dcgm"}, (UNWATCHED,)),
    )


def by_resource(facts: Facts) -> Mapping[str, list[tuple[NodePool, int]]]:
    """GPU pools and how much one node offers, by the resource as kube-state-metrics spells it."""
    found: dict[str, list[tuple[NodePool, int]]] = defaultdict(list)
    for pool in facts.gpu_pools:
        for resource, units in pool.gpu_resources.items():
            found[re.sub(r"[^a-zA-Z0-9_]", "_", resource)].append((pool, units))
    return found


UNHEALTHY = Alert(
    "NodeGpuUnhealthy",
    f'kube_node_status_allocatable{{resource=~"{GPU_RESOURCES}"}}'
    f' < kube_node_status_capacity{{resource=~"{GPU_RESOURCES}"}}',
    "{{ $labels.node }} offers only {{ $value }} {{ $labels.resource }}",
    "The device plugin found GPUs unhealthy; its log names the Xid. Drain the node, then reset or reboot.",
    "critical",
    "reset",
    hold="5m",
)

UNWATCHED = Alert(
    "NodeGpuUnwatched",
    f'sum by (node) (kube_node_status_capacity{{resource=~"{GPU_RESOURCES}"}}) > 0'
    " unless on (node) count by (node) (DCGM_FI_DEV_GPU_TEMP)",
    "Nobody reads the GPUs of {{ $labels.node }}",
    "DCGM exporter is not running or not scraped there, so no GPU alert of this node can fire.",
    "warning",
    hold="15m",
)


def _counts(resource: str, pools: list[tuple[NodePool, int]], *, only: bool) -> tuple[Alert, Alert]:
    """Fewer than the profile has, on one node, and in all than an autoscaler may leave."""
    total = sum(pool.bounds[0] * units for pool, units in pools)
    capacity = f'kube_node_status_capacity{{resource="{resource}"}}'
    sizes = " or ".join(f"{capacity} == {size}" for size in sorted({units for _, units in pools}))
    suffix = "" if only else "".join(part.capitalize() for part in resource.split("_")[2:])
    return (
        Alert(
            f"NodeGpuCountShort{suffix}",
            f"{capacity} > 0 unless ({sizes})",
            f"{{{{ $labels.node }}}} has {{{{ $value }}}} {resource}, and no pool has such nodes",
            "A GPU has fallen off the bus or failed to start. Drain and reboot the node; replace it if it stays away.",
            "critical",
            "reboot",
            hold="10m",
        ),
        Alert(
            f"ClusterGpuCountShort{suffix}",
            f'(sum(kube_node_status_allocatable{{resource="{resource}"}}) or vector(0)) < {total}',
            f"{{{{ $value }}}} of {total} {resource} can be scheduled",
            "Nodes are away, or their driver or device plugin is not ready: `kubectl get nodes`, then ClusterPolicy.",
            hold="30m",
        ),
    )
