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
from bedplate.stacks.profile.problem import Problem, keyed
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
        reason = f"it does not hold {most} subnets of /{prefix}"
        alone = space.prefixlen == ALONE
        fix = "write its prefix, such as /16" if alone else "use a larger network or a longer railPrefix"
        yield Problem("fabric.ipam.network", space.network_address if alone else space, reason, fix)
        return
    nodes = sum(pool.most for pool in members)
    own = [one for one in addresses(ipam, most) if one]
    yield from chain(_room(ipam, own, nodes), _gateway(ipam), _routes(profile, ipam), _excluded(ipam, own))
    yield from chain(_hosts(ipam, nodes), _neighbours(profile, ipam), _pods(profile, section, ipam, members))


def _room(ipam: Ipam, own: list[Addresses], nodes: int) -> Iterator[Problem]:
    """A block, or a subnet, for every node."""
    prefix, host = ipam.rail_prefix, ipam.node_prefix
    if host is None:
        blocks = min((free_blocks(one, ipam.block_size) for one in own), default=nodes)
        if blocks < nodes:
            reason = f"a /{prefix} has {blocks} blocks of {ipam.block_size} addresses, and the fabric has {nodes} nodes"
            yield Problem("fabric.ipam.railPrefix", prefix, reason, "use a shorter railPrefix or a smaller blockSize")
    elif ipam.kind != "nv-ipam":
        yield Problem("fabric.ipam.nodePrefix", host, "whereabouts has no subnets of nodes", "use kind nv-ipam")
    elif 2.0 ** (host - prefix) < nodes:
        reason = f"a /{prefix} does not hold a /{host} for each of {nodes} nodes"
        yield Problem("fabric.ipam.nodePrefix", host, reason, "use a shorter railPrefix or a longer nodePrefix")


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
        reason = f"a node has addresses on each rail for {room} pods, and others would never start"
        fix = f"use {room}, or a {'shorter nodePrefix' if ipam.node_prefix else 'larger blockSize'}"
        yield Problem(key, pods, reason, fix)


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
            reason = "each node is a subnet of its own, and without a gateway no pod reaches another node"
            yield Problem("fabric.ipam.gateway", None, reason, "say which address of a subnet the switch port has")
    elif not first <= ipam.gateway <= last:
        reason = f"a /{prefix} has addresses {first} to {last}"
        yield Problem("fabric.ipam.gateway", ipam.gateway, reason, "use one of them")


def _routes(profile: Profile, ipam: Ipam) -> Iterator[Problem]:
    key, operator = "fabric.ipam.routes", profile.network_operator
    shown = ", ".join(map(str, ipam.routes))
    if ipam.routes and ipam.gateway is None:
        yield Problem(key, shown, "no gateway to route by", "add gateway, or remove them")
    asked = ipam.kind == "nv-ipam" and bool(ipam.routes or ipam.node_prefix)
    if operator and asked and line(CHART.at(operator).version) < ROUTES_SINCE:
        reason = "nv-ipam of this Network Operator adds no routes"
        yield Problem("networkOperator.version", operator.version, reason, "use 25.4.0 or later")
    for route in ipam.routes:
        for name, cidr in (
            ("podCidr", profile.cluster_network.pod_cidr),
            ("serviceCidr", profile.cluster_network.service_cidr),
        ):
            if route.prefixlen == 0 or (cidr and route.overlaps(cidr)):
                reason = f"it would take the pods' way to clusterNetwork.{name}"
                yield Problem(key, route, reason, "route the fabric's own networks only")
                break
        if nodes := next((own for own in _of_nodes(profile) if own.subnet_of(route)), None):
            reason = f"it would take the pods' way to the nodes ({nodes})"
            yield Problem(key, route, reason, "route the fabric's own networks only")


def _excluded(ipam: Ipam, own: list[Addresses]) -> Iterator[Problem]:
    for key, network in keyed("fabric.ipam.exclude", ipam.exclude):
        if not any(network.overlaps(one.subnet) for one in own):
            reason = "no rail has these addresses"
            yield Problem(key, network, reason, "correct it, or remove it")


def _hosts(ipam: Ipam, nodes: int) -> Iterator[Problem]:
    hosts = list(ipam.hosts)
    if hosts and ipam.node_prefix is None:
        fix = "remove it, or add nodePrefix"
        yield Problem("fabric.ipam.hosts", hosts, "the nodes of a rail share one subnet", fix)
    elif hosts and len(hosts) < nodes:
        reason = f"{len(hosts)} names, and the fabric has {nodes} nodes"
        yield Problem("fabric.ipam.hosts", hosts, reason, "name every node, or none")
    if len(set(hosts)) != len(hosts):
        yield Problem("fabric.ipam.hosts", hosts, "a node is named twice", "name each once")
    if ipam.node_prefix and len(hosts) > 2 ** max(0, ipam.node_prefix - ipam.rail_prefix):
        reason = f"a /{ipam.rail_prefix} does not hold a /{ipam.node_prefix} for each"
        yield Problem("fabric.ipam.hosts", hosts, reason, "use a shorter railPrefix")


def _neighbours(profile: Profile, ipam: Ipam) -> Iterator[Problem]:
    for name, cidr in (
        ("podCidr", profile.cluster_network.pod_cidr),
        ("serviceCidr", profile.cluster_network.service_cidr),
    ):
        if cidr and cidr.overlaps(ipam.network):
            reason = f"overlaps clusterNetwork.{name} {cidr}"
            yield Problem("fabric.ipam.network", ipam.network, reason, "use another range")
    for own in _of_nodes(profile):
        if own.subnet_of(ipam.network):
            reason = f"holds clusterNetwork.nodeCidrs {own}"
            yield Problem("fabric.ipam.network", ipam.network, reason, "use another range")


def _of_nodes(profile: Profile) -> list[IPv4Network]:
    return [cidr for cidr in profile.cluster_network.node_cidrs if isinstance(cidr, IPv4Network)]
