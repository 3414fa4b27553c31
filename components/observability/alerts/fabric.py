"""Alerts on the fabric: ports of RDMA NICs and their speed, and the devices that a cloud's plugin hands out."""

from collections import defaultdict
from collections.abc import Mapping

from bedplate.components.facts import Facts
from bedplate.components.facts.fabric import GKE_NETWORK
from bedplate.components.observability.alerts.alert import Group, read
from bedplate.components.observability.alerts.nodes import spelt
from bedplate.components.observability.conditions import exact_hcas


def fabric(facts: Facts) -> tuple[Group, ...]:
    """Ports, their speed, and for RoCE what tells a lossy network; nothing where the NICs are no RDMA NICs."""
    kind = facts.fabric.kind
    if kind not in ("infiniband", "roce", "gib"):
        return ()
    when = ("roce",) if kind != "infiniband" else ()
    rates = _rates(facts)
    return read("fabric", (*when, "rates") if rates else when, hcas=hcas(facts), **rates)


def hcas(facts: Facts) -> str:
    """The HCAs that carry jobs, where the profile names them: unused and management ports may be down."""
    return "|".join(exact_hcas(facts)) or "mlx5_.+"


def _rates(facts: Facts) -> Mapping[str, str]:
    """The pools' rates; none where that of a pool is unknown: its sound ports would look slow."""
    rates = sorted({pool.nic_gbps for pool in facts.fabric_pools}, reverse=True)
    if not all(rates):
        return {}
    first, *slower = rates
    sound = " or ".join(f"<rate> == {_bytes(gbps)}" for gbps in slower)
    return {
        "fastest": str(first),
        "fastest_bytes": _bytes(first),
        "unless_slower": f" unless ({sound})" if slower else "",
        "of_no_pool": ", at the rate of no pool" if slower else "",
    }


def _bytes(gbps: int) -> str:
    """Bytes per second."""
    return str(gbps * 10**9 // 8)


def devices(facts: Facts) -> tuple[Group, ...]:
    """Nodes that offer fewer devices than the machines of any pool have."""
    expected: dict[str, set[int]] = defaultdict(set)
    networks = {f"{GKE_NETWORK}{name}": 1 for name in facts.fabric.node_networks}
    for pool in facts.fabric_pools:
        for resource, count in (pool.devices or networks).items():
            expected[spelt(resource)].add(count * pool.device_pods)
    if facts.fabric.exposure != "plugin" or not expected:
        return ()
    sound = " or ".join(
        f'kube_node_status_allocatable{{resource="{resource}"}} == {count}'
        for resource in sorted(expected)
        for count in sorted(expected[resource])
    )
    return read("devices", resources="|".join(sorted(expected)), sound=sound)
