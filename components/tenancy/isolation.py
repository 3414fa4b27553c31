"""NetworkPolicies: a team's pods talk to each other freely, and to others only where it is said.

They hold on the cluster's own network. Traffic on the rails and RDMA does not pass the CNI that enforces them; there,
partitions or virtual networks of the fabric keep teams apart.
"""

from collections.abc import Collection, Iterator
from ipaddress import ip_network
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts
from bedplate.components.platforms import PLATFORMS, Identity
from bedplate.components.section import Network
from bedplate.components.tenancy.borders import identities, left_out, of_the_host, within
from bedplate.components.tenancy.teams import Team, TenancySection
from bedplate.components.training import kuberay


class TeamIsolation(Component[TenancySection], token="bedplate:tenancy:TeamIsolation"):
    """Closes each namespace, and opens what jobs, monitoring and operators need."""

    def _declare(self, args: Args[TenancySection], child: pulumi.ResourceOptions) -> None:
        for team in args.section.teams:
            for title, spec in policies(team, args.facts):
                k8s.networking.v1.NetworkPolicy(
                    f"{team.name}-{title}",
                    metadata={"name": title, "namespace": team.name},
                    spec=for_all_pods(spec),
                    opts=child,
                )


def for_all_pods(rules: dict[str, Any]) -> Any:  # noqa: ANN401 - a spec of the Kubernetes API
    """No policy here picks pods: the namespace is the unit."""
    return {"pod_selector": {}, **rules}


def policies(team: Team, facts: Facts) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and content of each; what one allows, none can take back."""
    yield "deny-by-default", {"policy_types": ["Ingress", "Egress"]}
    # Rendezvous, NCCL's own sockets and MPI pick their ports freely.
    yield "within-team", _both(_from([{"pod_selector": {}}]), _to([{"pod_selector": {}}]))
    yield "names", {"policy_types": ["Egress"], "egress": [_dns(facts)]}
    if callers := [*operators(facts), *team.ingress_from]:
        yield "callers", {"policy_types": ["Ingress"], "ingress": [_from([_caller(name, facts) for name in callers])]}
    if outside := [_addresses(network, facts) for network in team.egress if not of_the_host(network)]:
        yield "outside", {"policy_types": ["Egress"], "egress": [_to(outside)]}
    if rights := [_rights(one) for one in identities(team.egress, facts.platform)]:
        yield "own-rights", {"policy_types": ["Egress"], "egress": rights}


def operators(facts: Facts) -> list[str]:
    """Namespaces that call pods of every team: Prometheus scrapes, KubeRay asks the head of a Ray cluster."""
    scraper = [facts.monitoring.namespace] if facts.monitoring else []
    return [*scraper, *([kuberay.CHART.namespace] if "kuberay" in facts.training else [])]


def _both(ingress: dict[str, Any], egress: dict[str, Any]) -> dict[str, Any]:
    return {"policy_types": ["Ingress", "Egress"], "ingress": [ingress], "egress": [egress]}


def _from(peers: list[Any]) -> dict[str, Any]:
    return {"from_": peers}


def _to(peers: list[Any]) -> dict[str, Any]:
    return {"to": peers}


def _dns(facts: Facts) -> dict[str, Any]:
    home, port = PLATFORMS[facts.platform].dns
    ports = [{"port": number, "protocol": protocol} for number in sorted({53, port}) for protocol in ("UDP", "TCP")]
    local = [{"ip_block": {"cidr": address}} for address in facts.name_servers]
    return {"to": [_namespace(home), *local], "ports": ports}


def _rights(identity: Identity) -> dict[str, Any]:
    ports = [{"port": port, "protocol": "TCP"} for port in identity.ports]
    return {"to": [{"ip_block": {"cidr": identity.address}}], "ports": ports}


def _caller(name: str, facts: Facts) -> dict[str, Any]:
    """A namespace, or addresses without those of pods, which call by the names of their namespaces."""
    if "/" not in name:
        return _namespace(name)
    network = ip_network(name)
    return _block(network, [each for each in facts.pod_networks if within(each, network)])


def _namespace(name: str) -> dict[str, Any]:
    return {"namespace_selector": {"match_labels": {"kubernetes.io/metadata.name": name}}}


def _addresses(network: Network, facts: Facts) -> dict[str, Any]:
    """The network without the nodes' services and the cluster's own, which would open the other teams' namespaces."""
    return _block(network, left_out(network, facts.cluster_networks))


def _block(network: Network, closed: Collection[Network]) -> dict[str, Any]:
    return {"ip_block": {"cidr": str(network), **({"except_": [*map(str, closed)]} if closed else {})}}
