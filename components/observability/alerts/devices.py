"""Alerts on what a cloud's plugin hands out of the fabric: EFA devices, and GKE's networks of TCPXO and gIB.

The one sign that TCPXO has: its offload counts nothing in the kernel, and GKE moves its NICs into pods. EFA's ports say
always that they are active (amzn/amzn-drivers, `efa_query_port`).
"""

import re
from collections import defaultdict

from bedplate.components.facts import Facts
from bedplate.components.facts.fabric import GKE_NETWORK
from bedplate.components.observability.alerts.alert import Alert, Group
from bedplate.components.observability.alerts.nodes import GPU_RESOURCES

GPUS = f'kube_node_status_capacity{{resource=~"{GPU_RESOURCES}"}} > 0'


def devices(facts: Facts) -> tuple[Group, ...]:
    """Nodes that offer fewer than their pool's machines have."""
    expected: dict[str, set[int]] = defaultdict(set)
    networks = {f"{GKE_NETWORK}{name}": 1 for name in facts.fabric.node_networks}
    for pool in facts.fabric_pools:
        for resource, count in (pool.devices or networks).items():
            expected[re.sub(r"[^a-zA-Z0-9_]", "_", resource)].add(count * pool.device_pods)
    if facts.fabric.exposure != "plugin" or not expected:
        return ()
    return (Group("fabric-devices", frozenset({"kube-state-metrics"}), (_short(expected),)),)


def _short(expected: dict[str, set[int]]) -> Alert:
    """A count that no pool's nodes have; zero is what the kubelet says once the plugin is gone."""
    every = "|".join(sorted(expected))
    sound = " or ".join(
        f'kube_node_status_allocatable{{resource="{resource}"}} == {count}'
        for resource in sorted(expected)
        for count in sorted(expected[resource])
    )
    return Alert(
        "NodeFabricDevicesShort",
        f'kube_node_status_allocatable{{resource=~"{every}"}} and on (node) ({GPUS}) unless ({sound})',
        "{{ $labels.node }} offers {{ $value }} {{ $labels.resource }}, and no pool has such nodes",
        "Jobs of whole nodes do not start there. Look at its device plugin's pod, then replace the machine.",
        "critical",
        "reboot",
        hold="15m",
    )
