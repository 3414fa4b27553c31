"""Rules about the rails' addresses: enough for every node, nobody's twice, and a way to the other nodes."""

from collections.abc import Iterator
from ipaddress import IPv4Network
from itertools import chain

from bedplate.components.facts import Addresses
from bedplate.components.operators.network_operator import CHART
from bedplate.components.platforms import PLATFORMS
from bedplate.components.version import line
from bedplate.stacks.facts.addresses import addresses, free_blocks
from bedplate.stacks.facts.fabric import rails
from bedplate.stacks.profile.fabrics import Ipam, RailFabric
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.problem import Problem, keyed, problem
from bedplate.stacks.profile.profile import Profile

POINT_TO_POINT = 31
ALONE = 32
"""A network of one address: written without a prefix."""
ROUTES_SINCE = (25, 4)
"""nv-ipam takes no routes before (its CRDs in Mellanox/network-operator at each tag)."""


def check_addresses(profile: Profile, section: RailFabric, members: list[Pool]) -> Iterator[Problem]:
    """Every fault of `fabric.ipam`."""
    ipam = section.ipam
    if ipam is None:
        return
    most = max((len(rails(profile, pool)) for pool in members), default=0)
    space, prefix = ipam.network, ipam.rail_prefix
    if prefix < space.prefixlen or 2 ** (prefix - space.prefixlen) < most:
        if space.prefixlen == ALONE:
            yield problem("addresses.without-prefix", space.network_address, most=most, prefix=prefix)
        else:
            yield problem("addresses.too-few-subnets", space, most=most, prefix=prefix)
        return
    nodes = sum(pool.most for pool in members)
    own = [address for address in addresses(ipam, most) if address]
    yield from chain(_room(ipam, own, nodes), _gateway(ipam), _routes(profile, ipam), _excluded(ipam, own))
    yield from chain(_hosts(ipam, nodes), _neighbours(profile, ipam), _pods(profile, section, ipam, members))


def _room(ipam: Ipam, own: list[Addresses], nodes: int) -> Iterator[Problem]:
    """A block, or a subnet, for every node."""
    prefix, host = ipam.rail_prefix, ipam.node_prefix
    if host is None:
        blocks = min((free_blocks(addresses, ipam.block_size) for addresses in own), default=nodes)
        if blocks < nodes:
            yield problem("addresses.too-few-blocks", prefix, prefix=prefix, blocks=blocks, ipam=ipam, nodes=nodes)
    elif ipam.kind != "nv-ipam":
        yield problem("addresses.node-subnets-by-whereabouts", host)
    elif 2.0 ** (host - prefix) < nodes:
        yield problem("addresses.too-few-node-subnets", host, prefix=prefix, host=host, nodes=nodes)


def _pods(profile: Profile, section: RailFabric, ipam: Ipam, members: list[Pool]) -> Iterator[Problem]:
    """An address on each rail for every pod that may get a device there: one without never starts."""
    operator, most = profile.network_operator, max((p.hardware.gpus for p in members if p.hardware), default=0)
    if section.exposure == "sriov" and not PLATFORMS[profile.platform].cloud:
        key, pods = "fabric.numVfs", section.num_vfs
    elif section.exposure == "shared" and operator:
        key, pods = "networkOperator.sharedPodsPerNode", operator.shared_pods_per_node
    else:
        return
    if ipam.kind == "nv-ipam" and (room := _of_a_node(ipam)) < min(pods, most):
        remedy = "shorter nodePrefix" if ipam.node_prefix else "larger blockSize"
        yield problem("addresses.too-few-for-pods", pods, key, room=room, remedy=remedy)


def _of_a_node(ipam: Ipam) -> int:
    """Addresses that pods of one node have on a rail."""
    if ipam.node_prefix is None:
        return ipam.block_size
    whole = 2 if ipam.node_prefix == POINT_TO_POINT else 2 ** (32 - ipam.node_prefix) - 2
    return whole - (ipam.gateway is not None)


def _gateway(ipam: Ipam) -> Iterator[Problem]:
    """One of the addresses that a subnet has to give, and one is left for pods."""
    prefix = ipam.node_prefix or ipam.rail_prefix
    first, last = (0, 1) if prefix == POINT_TO_POINT else (1, 2 ** (32 - prefix) - 2)
    if ipam.gateway is None:
        if ipam.node_prefix:
            yield problem("addresses.gateway-missing")
    elif not first <= ipam.gateway <= last:
        yield problem("addresses.gateway-outside", ipam.gateway, prefix=prefix, first=first, last=last)


def _routes(profile: Profile, ipam: Ipam) -> Iterator[Problem]:
    key, operator = "fabric.ipam.routes", profile.network_operator
    shown = ", ".join(map(str, ipam.routes))
    if ipam.routes and ipam.gateway is None:
        yield problem("addresses.routes-without-gateway", shown, key)
    routed = ipam.kind == "nv-ipam" and bool(ipam.routes or ipam.node_prefix)
    if operator and routed and line(CHART.at(operator).version) < ROUTES_SINCE:
        yield problem("addresses.routes-too-early", operator.version)
    for route in ipam.routes:
        for name, cidr in (
            ("podCidr", profile.cluster_network.pod_cidr),
            ("serviceCidr", profile.cluster_network.service_cidr),
        ):
            if route.prefixlen == 0 or (cidr and route.overlaps(cidr)):
                yield problem("addresses.route-over-cluster", route, key, name=name)
                break
        if nodes := next((own for own in _of_nodes(profile) if own.subnet_of(route)), None):
            yield problem("addresses.route-over-nodes", route, key, nodes=nodes)


def _excluded(ipam: Ipam, own: list[Addresses]) -> Iterator[Problem]:
    for key, network in keyed("fabric.ipam.exclude", ipam.exclude):
        if not any(network.overlaps(addresses.subnet) for addresses in own):
            yield problem("addresses.exclude-outside", network, key)


def _hosts(ipam: Ipam, nodes: int) -> Iterator[Problem]:
    hosts = list(ipam.hosts)
    if hosts and ipam.node_prefix is None:
        yield problem("addresses.hosts-in-one-subnet", hosts)
    elif hosts and len(hosts) < nodes:
        yield problem("addresses.too-few-hosts", hosts, count=len(hosts), nodes=nodes)
    if len(set(hosts)) != len(hosts):
        yield problem("addresses.host-twice", hosts)
    if ipam.node_prefix and len(hosts) > 2 ** max(0, ipam.node_prefix - ipam.rail_prefix):
        yield problem("addresses.too-many-hosts", hosts, ipam=ipam)


def _neighbours(profile: Profile, ipam: Ipam) -> Iterator[Problem]:
    for name, cidr in (
        ("podCidr", profile.cluster_network.pod_cidr),
        ("serviceCidr", profile.cluster_network.service_cidr),
    ):
        if cidr and cidr.overlaps(ipam.network):
            yield problem("addresses.over-cluster-network", ipam.network, name=name, cidr=cidr)
    for own in _of_nodes(profile):
        if own.subnet_of(ipam.network):
            yield problem("addresses.over-nodes", ipam.network, own=own)


def _of_nodes(profile: Profile) -> list[IPv4Network]:
    return [cidr for cidr in profile.cluster_network.node_cidrs if isinstance(cidr, IPv4Network)]
