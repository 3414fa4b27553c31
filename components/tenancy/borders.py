"""What lies within a network that a team's `egress` names, and is not the team's. Without Pulumi: checks ask too."""

from collections.abc import Collection
from ipaddress import IPv4Network

from bedplate.components.platforms import PLATFORMS, Identity

HOST_SERVICES = (IPv4Network("169.254.0.0/16"), IPv4Network("168.63.129.16/32"))
"""Where a machine asks its cloud who it is, and gets its own credentials: link-local on every cloud (OCI's disks too),
and Azure's wire server (Microsoft, "What is IP address 168.63.129.16?"). `egress` takes IPv4 alone, so IPv6 is closed.
"""


def of_the_host(network: IPv4Network) -> bool:
    """No address of it is anybody's but the node's own services'."""
    return any(network.subnet_of(services) for services in HOST_SERVICES)


def left_out(network: IPv4Network, own: Collection[IPv4Network]) -> list[IPv4Network]:
    """The nodes' services and the cluster's own networks inside it, each once; none that is the network itself."""
    inside = [each for each in (*own, *HOST_SERVICES) if each.subnet_of(network) and each != network]
    return [each for each in dict.fromkeys(inside) if not any(each != one and each.subnet_of(one) for one in inside)]


def identities(egress: Collection[IPv4Network], platform: str) -> list[Identity]:
    """Where pods get rights of their own: of use to who reaches the cloud at all."""
    asked = {str(network) for network in egress}
    return [one for one in PLATFORMS[platform].identity if asked and (not one.named or one.address in asked)]
