"""Rules about labels that nodes have before their driver is up: NICs come first, and the Network Operator goes by them.

The GPU's product is no such label: it comes with the GPU Operator, which waits for the NICs, and GPU Feature Discovery
takes it away again (`components/network/ip_pools.py`).
"""

from collections.abc import Iterator

from bedplate.components.operators.network_operator import CHART, NetworkOperatorSection
from bedplate.components.operators.nic_cluster_policy import NIC_NODE_POLICY_SINCE
from bedplate.components.version import line
from bedplate.stacks.facts.fabric import interfaces, wiring
from bedplate.stacks.facts.pools import found_by
from bedplate.stacks.profile.fabrics import RailFabric
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.problem import Problem
from bedplate.stacks.profile.profile import Profile

FIX = "label its nodes, and say the label here"


def check_labels(profile: Profile) -> Iterator[Problem]:
    """Pools of the fabric that some part of the Network Operator has to find, and cannot."""
    operator, section = profile.network_operator, profile.fabric
    if operator is None or not isinstance(section, RailFabric):
        return
    members = [pool for pool in profile.pools if interfaces(profile, pool)]
    for pool in members:
        need = None if found_by(profile, pool) else _need(profile, operator, section, pool, several=len(members) > 1)
        if need:
            reason = f"nothing labels its nodes before their driver is up, and {need}"
            yield Problem(f"pools[{profile.pools.index(pool)}].selector", None, reason, FIX)


def by_pool(operator: NetworkOperatorSection) -> bool:
    """Each pool has a policy of its own for its device plugin."""
    return line(CHART.at(operator).version) >= NIC_NODE_POLICY_SINCE


def _need(
    profile: Profile, operator: NetworkOperatorSection, section: RailFabric, pool: Pool, *, several: bool
) -> str | None:
    """What goes by the labels of its nodes; several: other pools are in the fabric, too.

    Virtual functions of one pool are made wherever such NICs are. A node in two SriovNetworkPoolConfigs is an error
    (k8snetworkplumbingwg/sriov-network-operator, controllers/drain_controller_helper.go at v1.6.0).
    """
    if section.ipam and section.ipam.kind == "nv-ipam":
        return "nv-ipam gives addresses to nodes by a label that stays"
    if section.exposure == "sriov" and several:
        return "its nodes get their virtual functions apart from those of other pools"
    if section.exposure != "sriov" and wiring(profile, pool) and by_pool(operator):
        return "the rails of pools are different devices"
    if any(not settings.pools or pool.name in settings.pools for settings in operator.nics):
        return "settings of NICs without a label reach every node"
    return None
