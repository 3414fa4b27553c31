"""How far a team's pods reach: never the node's own services, and no pod, Service or node of the cluster."""

from ipaddress import IPv4Network
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.components.tenancy.isolation import policies
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.stack_files import document

PROFILES = Path(__file__).parents[2] / "profiles"
STACKS = ("eks-p5", "gke-a3-mega", "inference-l40s", "onprem-h100-roce")
OWN = {"podCidr": "10.244.0.0/16", "serviceCidr": "10.96.0.0/12", "nodeCidrs": ["192.168.10.0/24"]}
METADATA = ("169.254.169.254", "168.63.129.16", "169.254.0.2")


def opened(one: dict[str, Any]) -> dict[str, dict[str, Any]]:
    profile = load(one)
    assert profile.tenancy
    return dict(policies(profile.tenancy.teams[0], facts(profile)))


def with_egress(*networks: str, platform: str = "lab", own: dict[str, Any] | None = None) -> dict[str, Any]:
    one = document(platform)
    one["clusterNetwork"] = OWN if own is None else own
    one["tenancy"]["teams"][0]["egress"] = list(networks)
    return one


def reach(one: dict[str, Any], address: str, port: int) -> bool:
    """As a CNI decides: some rule of some policy lets it out."""
    target = IPv4Network(address)
    for spec in opened(one).values():
        for rule in spec.get("egress", ()):
            blocks = [peer["ip_block"] for peer in rule["to"] if "ip_block" in peer]
            hits = [b for b in blocks if target.subnet_of(IPv4Network(b["cidr"]))]
            free = [b for b in hits if not any(target.subnet_of(IPv4Network(e)) for e in b.get("except_", ()))]
            if free and port in [one["port"] for one in rule.get("ports", [{"port": port}])]:
                return True
    return False


@pytest.mark.parametrize("address", METADATA)
@pytest.mark.parametrize("stack", STACKS)
def test_the_nodes_own_services_are_out_of_reach(stack: str, address: str) -> None:
    one = document(stack)
    assert reach(one, "1.1.1.1", 443)
    assert not reach(one, address, 80)


@pytest.mark.parametrize("stack", STACKS)
def test_the_clusters_own_networks_are_out_of_reach(stack: str) -> None:
    one = document(stack)
    own = one["clusterNetwork"]
    for network in (own["podCidr"], own["serviceCidr"], *own["nodeCidrs"]):
        assert not reach(one, str(IPv4Network(network)[9]), 443)


def test_names_are_asked_for_at_link_local_addresses_all_the_same() -> None:
    assert reach(with_egress("0.0.0.0/0"), "169.254.20.10", 53)
    assert not reach(with_egress("0.0.0.0/0"), "169.254.20.10", 80)
    gke = document("gke-a3-mega")
    assert reach(gke, "169.254.169.254", 53)


def test_rights_of_a_service_account_are_fetched_where_they_are_nobody_elses() -> None:
    assert reach(document("eks-p5"), "169.254.170.23", 80)
    gke = document("gke-a3-mega")
    assert reach(gke, "169.254.169.252", 988)
    gke["tenancy"]["teams"][0]["egress"] += ["169.254.169.254/32"]
    assert reach(gke, "169.254.169.254", 80)
    assert not reach(gke, "169.254.169.254", 988)


def test_an_own_range_is_excepted_once_however_often_it_is_named() -> None:
    nested = {"podCidr": "10.0.0.0/16", "serviceCidr": "172.20.0.0/16", "nodeCidrs": ["10.0.0.0/16", "10.0.8.0/24"]}
    block = opened(with_egress("0.0.0.0/0", own=nested))["outside"]["egress"][0]["to"][0]["ip_block"]
    assert block["except_"] == ["10.0.0.0/16", "172.20.0.0/16", "169.254.0.0/16", "168.63.129.16/32"]


@pytest.mark.parametrize("network", ["0.0.0.0/0", "10.0.0.0/8", "10.20.0.0/16", "172.16.0.0/12", "100.64.0.0/10"])
def test_an_egress_that_may_hold_the_cluster_asks_where_the_cluster_is(network: str) -> None:
    without = {key: value for key, value in OWN.items() if key != "nodeCidrs"}
    with pytest.raises(ProfileError) as refused:
        load(with_egress(network, own=without))
    [line] = map(str, refused.value.problems)
    assert line.startswith("clusterNetwork.nodeCidrs = absent: ")
    assert f"tenancy.teams[0].egress {network}" in line


@pytest.mark.parametrize("network", ["8.8.8.0/24", "10.20.30.0/24", "34.0.0.0/8"])
def test_an_egress_that_cannot_hold_it_asks_for_nothing(network: str) -> None:
    load(with_egress(network, own={}))


def test_an_egress_of_a_whole_own_range_is_refused_and_a_part_of_it_is_taken() -> None:
    with pytest.raises(ProfileError, match=r"egress\[0\] = 192.168.10.0/24: .*clusterNetwork.nodeCidrs"):
        load(with_egress("192.168.10.0/24"))
    assert reach(with_egress("192.168.10.5/32"), "192.168.10.5", 5432)


def test_callers_from_everywhere_are_not_the_pods_of_other_teams() -> None:
    one = with_egress()
    one["tenancy"]["teams"][0]["ingressFrom"] = ["0.0.0.0/0", "8.8.8.0/24"]
    *_, everywhere, some = opened(one)["callers"]["ingress"][0]["from_"]
    assert everywhere == {"ip_block": {"cidr": "0.0.0.0/0", "except_": [OWN["podCidr"]]}}
    assert some == {"ip_block": {"cidr": "8.8.8.0/24"}}


def test_callers_of_a_network_that_nodes_share_with_pods_may_be_either() -> None:
    one = document("eks-p5")
    one["tenancy"]["teams"][0]["ingressFrom"] = ["0.0.0.0/0"]
    assert opened(one)["callers"]["ingress"][0]["from_"][-1] == {"ip_block": {"cidr": "0.0.0.0/0"}}


@pytest.mark.parametrize("address", ["169.254.169.254/32", "168.63.129.16/32", "169.254.0.0/16"])
@pytest.mark.parametrize("stack", ["eks-p5", "onprem-h100-roce"])
def test_nobody_opens_the_nodes_own_services_by_name(stack: str, address: str) -> None:
    one = document(stack)
    one["tenancy"]["teams"][0]["egress"] = [address]
    with pytest.raises(ProfileError, match="credentials of the node"):
        load(one)


def test_a_server_that_reads_a_bucket_on_gke_needs_its_own_rights() -> None:
    one = yaml.safe_load((PROFILES / "gke-kimi-from-a-bucket.yaml").read_text())
    one["tenancy"]["teams"][1]["egress"] = ["0.0.0.0/0"]
    with pytest.raises(ProfileError, match=r"tenancy.teams\[1\].egress = .*169.254.169.254/32"):
        load(one)
