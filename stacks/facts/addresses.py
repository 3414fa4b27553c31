"""The rails' addresses: each rail's part of the address space, and who has which of them already."""

from ipaddress import IPv4Address, IPv4Network
from itertools import islice

from bedplate.components.facts import Addresses
from bedplate.stacks.profile.fabrics import Ipam


def addresses(section: Ipam | None, rails: int) -> list[Addresses | None]:
    """The i-th subnet of the address space for rail i; pods without IPAM take no address."""
    if section is None:
        return [None] * rails
    subnets = islice(section.network.subnets(new_prefix=section.rail_prefix), rails)
    return [_rail(section, subnet) for subnet in subnets]


def _rail(section: Ipam, subnet: IPv4Network) -> Addresses:
    routed = section.node_prefix is not None
    # Each node is a subnet of its own there: without a route its pods would not find the other nodes of their rail.
    routes = section.routes or ((subnet,) if routed and section.gateway is not None else ())
    return Addresses(
        subnet=subnet,
        node_prefix=section.node_prefix,
        gateway=section.gateway,
        exclude=tuple(excluded for network in section.exclude if (excluded := overlap(network, subnet))),
        routes=routes,
        hosts=section.hosts,
    )


def overlap(network: IPv4Network, subnet: IPv4Network) -> IPv4Network | None:
    """The part of `network` that is in `subnet`: of two networks one holds the other, or neither."""
    if not network.overlaps(subnet):
        return None
    return network if network.prefixlen >= subnet.prefixlen else subnet


def free_blocks(addresses: Addresses, size: int) -> int:
    """How many of nv-ipam's equal blocks have an address left; it gives nodes no others.

    The first begins after the network's own address, and none takes in the broadcast (its pkg/ipam-controller/allocator
    at v0.3 and later).
    """
    first, last = int(addresses.subnet.network_address) + 1, int(addresses.subnet.broadcast_address) - 1
    starts = range(first, last - size + 2, size)
    return sum(any(addresses.free(IPv4Address(number)) for number in range(start, start + size)) for start in starts)
