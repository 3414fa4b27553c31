"""Rules about the cluster's own networks: what its CNI plug-in does to ours, and what a team's pods may reach.

A team's pods reach no part of the cluster by way of `egress`, and never what a node alone may. A NetworkPolicy that
opens a wide network opens the pods, Services and nodes in it, unless it excepts them by number.
"""

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network, ip_network
from itertools import chain, product

from bedplate.components.platforms import PLATFORMS
from bedplate.components.section import Network
from bedplate.components.serving.weights import BucketWeights
from bedplate.components.tenancy.borders import of_the_host, within
from bedplate.stacks.facts.fabric import rails
from bedplate.stacks.profile.cluster_network import Cilium, IpVersion
from bedplate.stacks.profile.fabrics import RailFabric
from bedplate.stacks.profile.problem import Problem, keyed, problem
from bedplate.stacks.profile.profile import Profile


def check_networks(profile: Profile) -> Iterator[Problem]:
    """Every fault of `clusterNetwork`: an address belongs to a pod or to a Service, never to both.

    Cilium's agent renames what others configure (its chart's `cni.exclusive`), and nothing says so
    (k8snetworkplumbingwg/multus-cni#972, #1132; rancher/rke2#9040). Flannel keeps no NetworkPolicy (flannel-io/flannel,
    README.md); k3s brings a controller that does.
    """
    own = profile.cluster_network
    for end, pods, services in (("", own.pod_cidr, own.service_cidr), ("6", own.pod_cidr6, own.service_cidr6)):
        if pods and services and pods.overlaps(services):
            yield problem("networks.pods-over-services", pods, end=end, services=services)
    if isinstance(own.cni, Cilium) and own.cni.exclusive and attaches(profile):
        yield problem("networks.cilium-exclusive", "true")
    if own.cni and own.cni.kind == "flannel" and profile.platform != "k3s" and profile.teams:
        yield problem("networks.flannel-keeps-no-policy", "flannel")


def attaches(profile: Profile) -> bool:
    """Pods get their rails by Multus, whoever runs it."""
    section = profile.fabric
    named = isinstance(section, RailFabric) and section.exposure != "exclusive"
    return named and any(rails(profile, pool) for pool in profile.pools)


PRIVATE = tuple(map(IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")))
"""RFC 1918 and RFC 6598, which clouds give to pods."""
WIDE: Mapping[IpVersion, int] = {4: 16, 6: 56}
"""A network of this prefix, or of a shorter one, may hold a cluster and what is beside it; a longer one is a choice."""


def check_borders(profile: Profile) -> Iterator[Problem]:
    """Every fault of the teams' `egress`, and of the addresses in `ingressFrom`."""
    yield from chain(_whereabouts(profile), _buckets(profile), _callers(profile))
    allowed = [service.address for service in PLATFORMS[profile.platform].identity]
    for key, network in _egress(profile):
        if of_the_host(network) and str(network) not in allowed:
            yield problem("networks.host-services", network, key)
        if whole := [name for name, own in profile.cluster_network.stated if network == own]:
            yield problem("networks.whole-network", network, key, name=whole[0])
        yield from _parts(profile, key, network)


def _parts(profile: Profile, key: str, network: Network) -> Iterator[Problem]:
    """An address of a pod is another team's tomorrow; a Service keeps its own, beside those of other teams."""
    for name, own in profile.cluster_network.pods_alone:
        if within(network, own) and network != own:
            yield problem("networks.pods-of-any-team", network, key, name=name, own=own)
    for name, own in profile.cluster_network.stated:
        several = network.prefixlen < network.max_prefixlen and network != own
        if name.startswith("serviceCidr") and several and within(network, own):
            single = f"{network.network_address + 1}/{network.max_prefixlen}"
            yield problem("networks.services-of-others", network, key, name=name, own=own, single=single)


def _egress(profile: Profile) -> Iterator[tuple[str, Network]]:
    for key, team in keyed("tenancy.teams", profile.teams):
        for place, network in enumerate(team.egress):
            yield f"{key}.egress[{place}]", network


def _whereabouts(profile: Profile) -> Iterator[Problem]:
    """What is to be excepted must be there; said once for each version of IP, with the first that asks for it."""
    for version in WIDE:
        wide = [
            (key, network)
            for key, network in _egress(profile)
            if network.version == version and may_hold_a_cluster(network)
        ]
        if wide and (missing := profile.cluster_network.lacks(version)):
            key, network = wide[0]
            yield problem("networks.cluster-unknown", missing=missing, field=key.rpartition("[")[0], network=network)


def may_hold_a_cluster(network: Network) -> bool:
    """Private addresses, and many of them; of IPv6 any, as pods and nodes have public ones there."""
    private = not isinstance(network, IPv4Network) or any(network.overlaps(private_range) for private_range in PRIVATE)
    return private and network.prefixlen <= WIDE[network.version]


def _callers(profile: Profile) -> Iterator[Problem]:
    """Pods call by the names of their namespaces."""
    for key, team in keyed("tenancy.teams", profile.teams):
        addresses = [(place, ip_network(source)) for place, source in enumerate(team.ingress_from) if "/" in source]
        for (place, network), (name, own) in product(addresses, profile.cluster_network.pods_alone):
            if within(network, own):
                yield problem("networks.callers-of-any-team", network, key, place=place, name=name, own=own)


def _buckets(profile: Profile) -> Iterator[Problem]:
    """Google's metadata server gives a pod the rights of its service account; a team opens it by name."""
    addresses = [service.address for service in PLATFORMS[profile.platform].identity if service.named]
    buckets = (
        (server.namespace, server.weights) for server in profile.servers if isinstance(server.weights, BucketWeights)
    )
    readers = {home for home, weights in buckets if weights.scheme == "gs"}
    for at, team in keyed("tenancy.teams", profile.teams):
        named = list(map(str, team.egress))
        if lacking := [address for address in addresses if team.name in readers and address not in named]:
            yield problem("networks.metadata-server-closed", ", ".join(named), at=at, lacking=lacking)
