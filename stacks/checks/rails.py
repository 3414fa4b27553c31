"""Rules about rails: a device for each NIC of a pool, and nodes that the Network Operator can tell apart.

NICs come before the driver, and the operator selects nodes by labels that are there before it. The GPU's product is no
such label: it comes with the GPU Operator, which waits for the NICs, and GPU Feature Discovery takes it away again
(`components/network/ip_pools.py`).
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from bedplate.components.operators.network_operator import CHART, NetworkOperatorSection
from bedplate.components.operators.nic_cluster_policy import NIC_NODE_POLICY_SINCE
from bedplate.components.platforms import PLATFORMS
from bedplate.components.version import line
from bedplate.stacks.facts.fabric import interfaces, rails, wiring
from bedplate.stacks.facts.pools import found_by
from bedplate.stacks.profile.fabrics import RailFabric
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.problem import Problem, keyed, problem
from bedplate.stacks.profile.profile import Profile

RDMA_DEVICE = re.compile(r"(mlx[45]_|roce(P[0-9]+)?p)[0-9]")
"""Names that the kernel and rdma-core give to RDMA devices alone."""
UPON = re.compile(r"^bond[0-9]*$|\.[0-9a-f]+$")
"""Names by custom of what is made upon ports: bonds, VLANs, and partitions of InfiniBand."""
SHARED_PREFIX = "rdma/"
"""Of the RDMA shared device plugin's resources (Mellanox/k8s-rdma-shared-dev-plugin, `resourcePrefix`)."""
LONGEST_POLICY = 30
"""Characters of a NicNodePolicy's name (Mellanox/network-operator nicpolicy_webhook.go at v26.4.1)."""


def check_rails(profile: Profile, section: RailFabric, members: list[Pool]) -> Iterator[Problem]:
    """Every fault of the rails, pool by pool."""
    for pool in (member for member in members if member.hardware and member.hardware.nics is not None):
        yield from chain(_names(profile, section, pool), _devices(profile, section, pool))
    for at, pool in keyed("pools", profile.pools):
        if pool not in members and (pool.rails or pool.hcas):
            key, value = ("rails", pool.rails) if pool.rails else ("hcas", pool.hcas)
            yield problem("rails.outside-the-fabric", value, key, at=at, pool=pool)
    yield from _moved(profile, section, members)
    if any(wiring(profile, pool) for pool in members):
        yield from _told_apart(profile, section, members)


def _key(profile: Profile, pool: Pool, name: str) -> str:
    """Where the pool's names are written."""
    own = getattr(pool, name) is not None
    return f"pools[{profile.pools.index(pool)}].{name}" if own else f"fabric.{name}"


def _names(profile: Profile, section: RailFabric, pool: Pool) -> Iterator[Problem]:
    """One interface per NIC, in the order of the rails."""
    named, key = rails(profile, pool), _key(profile, pool, "rails")
    nics = (pool.hardware.nics if pool.hardware else None) or 0
    needs_names = section.kind == "roce" or section.exposure in ("sriov", "host-device")
    if named and len(named) != nics:
        index, count = profile.pools.index(pool), len(named)
        yield problem("rails.count-differs", list(named), key, count=count, pool=pool, nics=nics, index=index)
    elif needs_names and not named:
        yield problem("rails.names-missing", None, key, section=section, nics=nics)
    elif not (named or (section.exposure == "shared" and _hcas_of(section, pool))):
        yield from _whole(profile, key, pool, section)
    yield from _twice(named, key)


def _twice(named: Sequence[str], key: str) -> Iterator[Problem]:
    for twice in dict.fromkeys(name for name in named if named.count(name) > 1):
        yield problem("rails.listed-twice", twice, key)


def _hcas_of(section: RailFabric, pool: Pool) -> tuple[str, ...]:
    """Of the pool, or of the fabric."""
    return (section.hcas if pool.hcas is None else pool.hcas) or ()


def _whole(profile: Profile, key: str, pool: Pool, section: RailFabric) -> Iterator[Problem]:
    """Without names every InfiniBand port is handed out, and a pod may get those of storage for its rails.

    Shared HCAs are all in the pod whatever they are called, and NCCL takes those of storage unless `hcas` names others.
    """
    others = pool.hardware.extra_hcas if pool.hardware else 0
    if others and not section.existing_devices and not PLATFORMS[profile.platform].cloud:
        more = "; or their hcas" if section.exposure == "shared" else ""
        yield problem("rails.storage-nics", None, key, pool=pool, others=others, more=more)


def _devices(profile: Profile, section: RailFabric, pool: Pool) -> Iterator[Problem]:
    """Names of network devices, and of the ports themselves where a device plugin looks for them.

    Plugins know a NIC by the network devices of its PCI address, and so neither bonds nor VLANs on it
    (Mellanox/k8s-rdma-shared-dev-plugin, k8snetworkplumbingwg/sriov-network-device-plugin).
    """
    key, named = _key(profile, pool, "rails"), list(_hcas_of(section, pool))
    nics = pool.hardware.nics if pool.hardware else None
    for device in rails(profile, pool):
        if RDMA_DEVICE.match(device):
            yield problem("rails.rdma-device", device, key)
        elif profile.network_operator and not section.existing_devices and UPON.search(device):
            yield problem("rails.bond-or-vlan", device, key)
    yield from _twice(named, _key(profile, pool, "hcas"))
    if named and len(named) != nics:
        yield problem("rails.hcas-differ", named, _key(profile, pool, "hcas"), pool=pool, nics=nics)
    if named and section.exposure == "sriov":
        yield problem("rails.hcas-of-functions", named, _key(profile, pool, "hcas"))


def _moved(profile: Profile, section: RailFabric, members: list[Pool]) -> Iterator[Problem]:
    """A network that moves a device into a pod needs one of its own, which no other pod has."""
    named, key = section.existing_devices, "fabric.existingDevices"
    if not named or section.exposure not in ("sriov", "host-device"):
        return
    for name, count in named.items():
        if name.startswith(SHARED_PREFIX):
            yield problem("rails.shared-device-moved", count, key, name=name, section=section)
    most = max((len(rails(profile, pool)) for pool in members), default=0)
    if sum(named.values()) < most:
        yield problem("rails.too-few-devices", dict(named), key, most=most)


def _told_apart(profile: Profile, section: RailFabric, members: list[Pool]) -> Iterator[Problem]:
    """One plugin for all nodes knows a device by its name alone, so a name is the same rail wherever it is.

    What the operator runs for each pool, if it does, has the pool's name.
    """
    operator = profile.network_operator
    if operator is None or section.exposure == "sriov":
        return
    places: dict[str, int] = {}
    for pool in members:
        named, index = rails(profile, pool), profile.pools.index(pool)
        moved = [interface for place, interface in enumerate(named) if places.setdefault(interface, place) != place]
        if by_pool(operator) and len(pool.name) > LONGEST_POLICY:
            yield problem("rails.policy-name-too-long", pool.name, index=index, longest_policy=LONGEST_POLICY)
        elif moved and section.exposure == "host-device" and not by_pool(operator):
            key, device = _key(profile, pool, "rails"), moved[0]
            yield problem("rails.rail-moves", list(named), key, device=device, place=places[device])


def check_labels(profile: Profile) -> Iterator[Problem]:
    """Pools of the fabric that some part of the Network Operator has to find, and cannot."""
    operator, section = profile.network_operator, profile.fabric
    if operator is None or not isinstance(section, RailFabric):
        return
    members = [pool for pool in profile.pools if interfaces(profile, pool)]
    for pool in members:
        need = None if found_by(profile, pool) else _need(profile, operator, section, pool, several=len(members) > 1)
        if need:
            yield problem("rails.not-labelled", index=profile.pools.index(pool), need=need)


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
