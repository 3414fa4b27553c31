"""Whatever people write into a NetworkAttachmentDefinition, the cluster is described, and what was not read is said."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedplate.components.workload.contract import FACTS_KEY
from bedplate.live.checks.drift import contract
from bedplate.live.desired import Declared
from bedplate.live.discover.attachments import network
from bedplate.live.discover.fabric import fabric, unsure
from bedplate.live.discover.rails import wirings
from bedplate.live.kinds import ATTACHMENT, CONFIG_MAP, NIC_CLUSTER_POLICY, NODE
from bedplate.live.reading import Observed

NICS = {"feature.node.kubernetes.io/pci-15b3.present": "true"}
HOST = {"metadata": {"name": "gpu-0", "labels": NICS}, "status": {"capacity": {}}, "spec": {}}


def observed(*configs: str) -> Observed:
    made = [
        {"metadata": {"namespace": "team", "name": f"net-{i}"}, "spec": {"config": config}}
        for i, config in enumerate(configs)
    ]
    return Observed({NODE: [HOST], ATTACHMENT: made})


def macvlan(**ipam: Any) -> str:
    return json.dumps({"type": "macvlan", "master": "eth0", "ipam": {"type": "whereabouts", **ipam}})


def told(*configs: str) -> tuple[dict[str, Any], list[str]]:
    here = observed(*configs)
    found = fabric(here, "metal")
    return found, [line for line in unsure(found, here, "metal") if "net-" in line]


@pytest.mark.parametrize(
    ("ipam", "written"),
    [
        ({"range": "192.168.2.225/28"}, ("192.168.2.224/28", 28)),
        ({"range": "192.168.2.10-192.168.2.20/24"}, ("192.168.2.0/24", 24)),
        ({"ipRanges": [{"range": "10.1.0.0/24"}, {"range": "10.1.1.0/24"}]}, ("10.1.0.0/23", 24)),
        ({"ipRanges": [{"range": "10.1.0.0/24"}, {"range": "2001:db8::/64"}]}, ("10.1.0.0/24", 24)),
    ],
)
def test_ranges_are_read_as_whereabouts_reads_them(ipam: dict[str, Any], written: tuple[str, int]) -> None:
    found, _ = told(macvlan(**ipam))
    assert (found["kind"], found["exposure"]) == ("roce", "shared")
    assert (found["ipam"]["network"], found["ipam"]["railPrefix"]) == written


def test_a_gateway_is_its_place_in_the_first_rail_and_one_elsewhere_is_none() -> None:
    of_rail = {"range": "10.1.0.0/24", "gateway": "10.1.0.254", "exclude": ["10.1.0.254/32", "10.1.0.8/29"]}
    assert told(macvlan(**of_rail))[0]["ipam"] == {
        "kind": "whereabouts",
        "network": "10.1.0.0/24",
        "railPrefix": 24,
        "gateway": 254,
        "exclude": ["10.1.0.8/29"],
    }
    for other in ("10.9.0.1", "fd00::1", "none"):
        assert "gateway" not in told(macvlan(range="10.1.0.0/24", gateway=other))[0]["ipam"]


def test_a_list_of_plugins_is_seen() -> None:
    listed = {"name": "rail", "plugins": [json.loads(macvlan(range="10.1.0.0/24")), {"type": "tuning"}]}
    found, doubts = told(json.dumps(listed))
    assert (found["kind"], found["exposure"], found["ipam"]["network"]) == ("roce", "shared", "10.1.0.0/24")
    assert doubts == []


def test_what_one_team_wrote_wrong_is_said_and_the_others_networks_are_read() -> None:
    found, doubts = told(macvlan(range="10.1.0.0/24"), "{not json", macvlan(range="2001:db8::/64"), macvlan())
    assert found["ipam"]["network"] == "10.1.0.0/24"
    assert doubts == [
        "fabric: NetworkAttachmentDefinition team/net-1: its config is no JSON, and is not looked at",
        "fabric.ipam: team/net-2: range 2001:db8::/64 is not IPv4, and is not looked at",
        "fabric.ipam: team/net-3: it says no range, and is not looked at",
    ]


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["macvlan", "whereabouts"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "plugins", "ipam", "range", "ipRanges", "gateway", "exclude"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)


WRONG = st.dictionaries(st.sampled_from(["gateway", "exclude", "ipRanges"]), ANY).map(
    lambda said: macvlan(range="10.1.0.0/24", **said)
)


@given(st.lists(ANY.map(json.dumps) | WRONG | st.text(max_size=8), max_size=3))
def test_nothing_that_is_written_there_ends_the_description(configs: list[str]) -> None:
    told(*configs)


@given(st.text(max_size=20) | st.from_regex(r"[0-9.]{1,12}(-[0-9.]{1,12})?/[0-9]{1,3}", fullmatch=True))
def test_what_is_no_range_is_none(text: str) -> None:
    assert (made := network(text)) is None or made.prefixlen <= 32


@pytest.mark.parametrize("config", ["{", "[]", "7", '{"configList": 3}', '{"configList": [1, {"selectors": null}]}'])
def test_a_plugins_configuration_that_nobody_can_read_is_no_end_of_the_description(config: str) -> None:
    policy = {"metadata": {"name": "nic-cluster-policy"}, "spec": {"rdmaSharedDevicePlugin": {"config": config}}}
    here = Observed({NODE: [HOST], NIC_CLUSTER_POLICY: [policy]})
    assert wirings(here) == []
    assert fabric(here, "kubeadm") == {"kind": "none"}


def test_a_plugins_configuration_names_the_rails() -> None:
    config = json.dumps({"configList": [{"selectors": {"ifNames": ["ens1", "ens2"]}}]})
    policy = {"metadata": {"name": "nic-cluster-policy"}, "spec": {"rdmaSharedDevicePlugin": {"config": config}}}
    assert [one.names for one in wirings(Observed({NIC_CLUSTER_POLICY: [policy]}))] == [("ens1", "ens2")]


def test_a_contract_that_somebody_nested_without_end_is_of_another_profile() -> None:
    data = {FACTS_KEY: '{"a": 1}'}
    document = {"kind": "ConfigMap", "metadata": {"name": "c", "namespace": "research"}, "data": data}
    (finding,) = contract(Declared(CONFIG_MAP, document), {"data": {FACTS_KEY: "[" * 100_000}})
    assert "is of another profile" in finding.what
