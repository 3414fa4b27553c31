"""What lies within a network that a team's `egress` names, and is not the team's. Without Pulumi: checks ask too."""

from collections.abc import Collection
from ipaddress import IPv4Network, IPv6Network

from bedplate.components.platforms import PLATFORMS, Identity
from bedplate.components.section import Network

HOST_SERVICES: tuple[Network, ...] = (
    IPv4Network("169.254.0.0/16"),
    IPv4Network("168.63.129.16/32"),
    IPv6Network("fe80::/10"),
    IPv6Network("fd00:ec2::/32"),
    IPv6Network("fd20:ce::254/128"),
    IPv6Network("fd00:c1::a9fe:a9fe/128"),
)
"""Where a machine asks its cloud who it is, and gets its own credentials: link-local on every cloud (OCI's disks too),
and Azure's wire server (Microsoft, "What is IP address 168.63.129.16?"). By IPv6 Amazon's are in fd00:ec2::/32 (EC2
User Guide, "Access instance metadata"), Google's and Oracle's at a single address each (their documentation of the
metadata server).
"""


def within(inner: Network, outer: Network) -> bool:
    """All of it; none is where the versions of IP differ."""
    if isinstance(inner, IPv4Network):
        return isinstance(outer, IPv4Network) and inner.subnet_of(outer)
    return isinstance(outer, IPv6Network) and inner.subnet_of(outer)


def of_the_host(network: Network) -> bool:
    """No address of it is anybody's but the node's own services'."""
    return any(within(network, services) for services in HOST_SERVICES)


def left_out(network: Network, own: Collection[Network]) -> list[Network]:
    """The nodes' services and the cluster's own networks inside it, each once; none that is the network itself."""
    inside = [each for each in (*own, *HOST_SERVICES) if within(each, network) and each != network]
    return [each for each in dict.fromkeys(inside) if not any(each != one and within(each, one) for one in inside)]


def identities(egress: Collection[Network], platform: str) -> list[Identity]:
    """Where pods get rights of their own: of use to who reaches the cloud at all, by the same version of IP."""
    asked = {str(network) for network in egress}
    return [
        one
        for one in PLATFORMS[platform].identity
        if (one.address in asked if one.named else any((":" in network) == (":" in one.address) for network in asked))
    ]
