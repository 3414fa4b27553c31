"""A team's pods ask the cluster's name service, wherever the cluster has it, and IPv6 is opened as IPv4 is."""

from ipaddress import ip_network
from typing import Any

import pytest

from bedplate.components.facts import Args
from bedplate.components.platforms import PLATFORMS
from bedplate.components.serving.servers import manifests
from bedplate.components.tenancy.isolation import policies
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.stack_files import document
from tests.unit.serving.test_ways_in import GATEWAY
from tests.unit.serving.test_ways_in import profile as served

OWN = {"podCidr": "10.244.0.0/16", "serviceCidr": "10.96.0.0/12", "nodeCidrs": ["192.168.10.0/24"]}
DUAL = {**OWN, "podCidr6": "fd00:10:244::/48", "serviceCidr6": "fd00:10:96::/112"}
DUAL["nodeCidrs"] = ["192.168.10.0/24", "2001:db8:1::/64"]
CACHES = {
    "NodeLocal DNSCache as Kubernetes documents it": "169.254.20.10",
    "Kubespray (roles/kubespray_defaults, nodelocaldns_ip)": "169.254.25.10",
    "GKE with Cloud DNS": "169.254.169.254",
    "AKS LocalDNS": "169.254.10.11",
    "a cache at the Service's own address (iptables mode, GKE)": "10.96.0.10",
}


def cluster(own: dict[str, Any], **team: object) -> dict[str, Any]:
    one = document("lab")
    one["clusterNetwork"] = own
    one["tenancy"]["teams"][0] |= team
    return one


def made(one: dict[str, Any]) -> dict[str, dict[str, Any]]:
    profile = load(one)
    assert profile.tenancy
    return dict(policies(profile.tenancy.teams[0], facts(profile)))


def answers(one: dict[str, Any], address: str, port: int = 53) -> bool:
    """As a CNI decides about the policy `names`."""
    [rule] = made(one)["names"]["egress"]
    blocks = [ip_network(peer["ip_block"]["cidr"]) for peer in rule["to"] if "ip_block" in peer]
    return port in {one["port"] for one in rule["ports"]} and any(
        ip_network(address).version == block.version and ip_network(address).subnet_of(block)  # pyright: ignore[reportArgumentType]
        for block in blocks
    )


@pytest.mark.parametrize("address", CACHES.values(), ids=CACHES.keys())
def test_a_cache_on_the_node_is_asked_wherever_a_distribution_puts_it(address: str) -> None:
    assert answers(cluster(OWN), address)
    assert not answers(cluster(OWN), address, port=80)


def test_no_other_address_is_asked_for_names() -> None:
    assert not answers(cluster(OWN), "10.244.0.10")
    assert not answers(cluster({}), "10.96.0.10")


def test_a_service_network_of_ipv6_is_asked_as_well() -> None:
    assert answers(cluster(DUAL), "fd00:10:96::a")


def test_a_site_names_its_own_name_servers_and_then_no_others_are_open() -> None:
    own = {**OWN, "nameServers": ["192.168.10.53", "fd00::53"]}
    assert answers(cluster(own), "192.168.10.53")
    assert answers(cluster(own), "fd00::53")
    assert not answers(cluster(own), "169.254.25.10")
    assert not answers(cluster(own), "10.96.0.10")


def test_the_pods_behind_the_name_service_are_asked_in_any_case() -> None:
    [rule] = made(cluster({**OWN, "nameServers": ["192.168.10.53"]}))["names"]["egress"]
    assert rule["to"][0]["namespace_selector"]["match_labels"] == {"kubernetes.io/metadata.name": "kube-system"}
    assert PLATFORMS["openshift"].dns == ("openshift-dns", 5353)


def test_egress_opens_ipv6_without_the_clusters_own_networks_and_the_nodes_services() -> None:
    [peer] = made(cluster(DUAL, egress=["::/0"]))["outside"]["egress"][0]["to"]
    block = peer["ip_block"]
    assert block["cidr"] == "::/0"
    assert {"fd00:10:244::/48", "fd00:10:96::/112", "2001:db8:1::/64"} < set(block["except_"])
    assert {"fe80::/10", "fd00:ec2::/32", "fd20:ce::254/128", "fd00:c1::a9fe:a9fe/128"} < set(block["except_"])
    assert not any("." in network for network in block["except_"])


def test_egress_of_ipv4_excepts_no_ipv6() -> None:
    [peer] = made(cluster(DUAL, egress=["0.0.0.0/0"]))["outside"]["egress"][0]["to"]
    assert not any(":" in network for network in peer["ip_block"]["except_"])


def test_callers_are_of_ipv6_too() -> None:
    [rule] = made(cluster(DUAL, ingressFrom=["2001:db8:7::/64", "gateway"]))["callers"]["ingress"]
    assert {"ip_block": {"cidr": "2001:db8:7::/64"}} in rule["from_"]


@pytest.mark.parametrize("caller", ["2001:db8:7::", "2001:db8:7::1/64", "fd00::/129"])
def test_a_caller_is_a_whole_network(caller: str) -> None:
    with pytest.raises(ProfileError, match=r"tenancy.teams\[0\].ingressFrom\[0\]"):
        load(cluster(DUAL, ingressFrom=[caller]))


@pytest.mark.parametrize("key", ["podCidr6", "serviceCidr6", "nodeCidrs"])
def test_an_ipv6_egress_that_may_hold_the_cluster_asks_where_the_cluster_is(key: str) -> None:
    own = {name: value for name, value in DUAL.items() if name != key}
    with pytest.raises(ProfileError, match=rf"clusterNetwork.{key} = absent: .*egress ::/0"):
        load(cluster(own, egress=["::/0"]))


def test_node_networks_of_ipv4_alone_do_not_close_an_ipv6_egress() -> None:
    with pytest.raises(ProfileError, match=r"clusterNetwork.nodeCidrs = absent: .*egress ::/0"):
        load(cluster({**DUAL, "nodeCidrs": OWN["nodeCidrs"]}, egress=["::/0"]))


def test_a_cluster_of_ipv6_alone_says_so_by_its_networks() -> None:
    alone = {"podCidr6": DUAL["podCidr6"], "serviceCidr6": DUAL["serviceCidr6"], "nodeCidrs": DUAL["nodeCidrs"]}
    assert made(cluster(alone, egress=["0.0.0.0/0", "::/0"]))["outside"]


@pytest.mark.parametrize("network", ["fd00:ec2::254/128", "fe80::/64", "fd20:ce::254/128"])
def test_nobody_opens_the_nodes_own_services_of_ipv6_by_name(network: str) -> None:
    with pytest.raises(ProfileError, match=f"egress\\[0\\] = {network}: the machine's own services"):
        load(cluster(DUAL, egress=[network]))


def test_an_egress_of_a_whole_ipv6_range_of_the_cluster_is_refused() -> None:
    with pytest.raises(ProfileError, match=r"clusterNetwork.podCidr6"):
        load(cluster(DUAL, egress=["fd00:10:244::/48"]))


@pytest.mark.parametrize(
    ("own", "suffix"), [({}, "svc.cluster.local"), ({"domain": "k8s.example.com"}, "svc.k8s.example.com")]
)
def test_a_cluster_domain_of_the_sites_own_is_in_the_names_that_are_written(own: dict[str, str], suffix: str) -> None:
    one = served("kubeadm", {**GATEWAY, "endpointPicker": {}, "implementation": "istio"}, ["edge"])
    one["clusterNetwork"] |= own
    profile = load(one)
    assert profile.serving
    made = manifests(profile.serving.servers[0], Args(profile.serving, facts(profile)))
    [rule] = [each for each in made if each["kind"] == "DestinationRule"]
    assert rule["spec"]["host"] == f"llama-picker.serving.{suffix}"


@pytest.mark.parametrize("domain", ["cluster.local.", ".local", "Cluster", "a b"])
def test_a_domain_has_the_form_that_kubelet_takes(domain: str) -> None:
    with pytest.raises(ProfileError, match=r"clusterNetwork.domain"):
        load(cluster({**OWN, "domain": domain}))
