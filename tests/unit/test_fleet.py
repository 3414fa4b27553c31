"""Fleets of several kinds of node, and rails that are routed: what the nodes, the networks and the jobs are told."""

import json
from typing import Any

import pytest

from bedplate.components.facts import Args, Facts
from bedplate.components.network.attachments import network_manifests
from bedplate.components.network.ip_pools import ip_pools
from bedplate.components.nodes.pool_labels import POOL_LABEL, rules
from bedplate.components.operators.network_operator import NetworkOperatorSection
from bedplate.components.operators.nic_cluster_policy import node_policies, spec, virtual_functions
from bedplate.components.workload.contract import contract
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from tests.crds import faults
from tests.unit.checks.case import edited
from tests.unit.checks.edges_rails import FOUR, HALF, ROCE, WIDE, fleet

FIRST = "ens1np0"


def known(document: dict[str, Any]) -> Facts:
    return facts(load(document))


def operator(document: dict[str, Any]) -> Args[NetworkOperatorSection]:
    profile = load(document)
    assert profile.network_operator
    return Args(profile.network_operator, facts(profile))


def swapped(**changes: Any) -> dict[str, Any]:
    """The second pool has its first two rails the other way round."""
    return fleet(pools__2__rails=["ens2np0", FIRST, *FOUR[2:]], **changes)


def test_each_pool_has_a_policy_of_its_own_for_the_devices_of_its_rails() -> None:
    args = operator(swapped(fabric__exposure="host-device"))
    policies = {one["metadata"]["name"]: one["spec"] for one in node_policies(args)}
    first = {name: _devices(spec["sriovDevicePlugin"]["config"])["rdma_rail_0"] for name, spec in policies.items()}
    assert first == {"h100": [FIRST], "half": ["ens2np0"]}
    assert [spec["nodeSelector"] for spec in policies.values()] == [{"half": "no"}, {"half": "yes"}]
    assert not {"sriovDevicePlugin", "rdmaSharedDevicePlugin"} & set(spec(args)), "the operator refuses a part in both"


def _devices(config: str) -> dict[str, list[str]]:
    return {one["resourceName"]: one["selectors"]["pfNames"] for one in json.loads(config)["resourceList"]}


def test_a_policy_goes_by_the_label_that_discovery_writes_where_the_pool_has_no_selector() -> None:
    """The product's label would come with the GPU Operator, which waits for the policy."""
    args = operator(fleet(pools__2__selector=None, pools__2__shape={**HALF, "gpu": "A100-80"}))
    selectors = {one["metadata"]["name"]: one["spec"]["nodeSelector"] for one in node_policies(args)}
    assert selectors == {"h100": {"half": "no"}, "half": {POOL_LABEL: "half"}}
    assert [one["labels"] for one in rules(args.facts)] == [{POOL_LABEL: "half"}]


def test_a_policy_of_a_pool_is_valid_and_waited_for() -> None:
    for policy in node_policies(operator(swapped())):
        plain = {"apiVersion": policy["api_version"], **{key: policy[key] for key in ("kind", "metadata", "spec")}}
        assert faults(plain) == []
        assert policy["metadata"]["annotations"]["pulumi.com/waitFor"] == "jsonpath={.status.state}=ready"


def test_a_pool_that_an_autoscaler_may_empty_is_not_waited_for() -> None:
    autoscale = {"min": 0, "max": 4}
    policies = node_policies(operator(fleet(pools__2__autoscale=autoscale)))
    waited = {one["metadata"]["name"]: one["metadata"]["annotations"]["pulumi.com/waitFor"] for one in policies}
    assert waited == {"h100": "jsonpath={.status.state}=ready", "half": "jsonpath={.status.state}"}


def test_an_operator_without_policies_per_pool_has_one_plugin_with_the_names_of_all() -> None:
    args = operator(fleet(fabric__exposure="host-device", networkOperator={"version": "26.1.2"}))
    assert node_policies(args) == []
    assert _devices(spec(args)["sriovDevicePlugin"]["config"])["rdma_rail_3"] == ["ens4np0"]


def test_pools_that_are_wired_alike_need_no_policies_of_their_own() -> None:
    args = operator(fleet(pools__2__shape="hgx-h200", pools__2__rails=None, pools__2__hcas=None))
    assert node_policies(args) == []
    assert "rdmaSharedDevicePlugin" in spec(args)


def test_virtual_functions_are_made_of_each_pools_own_devices() -> None:
    made = virtual_functions(known(swapped(fabric__exposure="sriov", fabric__hcas=[], pools__2__hcas=None)))
    rail = {one["metadata"]["name"]: one["spec"] for one in made if one["spec"]["resourceName"] == "rdma_rail_0"}
    names = {name: spec["nicSelector"]["pfNames"] for name, spec in rail.items()}
    assert names == {"rail-0-h100": [FIRST], "rail-0-half": ["ens2np0"]}
    assert rail["rail-0-half"]["nodeSelector"]["half"] == "yes"
    assert len(made) == 8 + 4


def test_a_network_that_names_a_device_is_made_for_each_wiring() -> None:
    told = known(fleet())
    made = {one["metadata"]["name"]: one["spec"]["master"] for one in network_manifests(told)}
    assert len(made) == len(told.namespaces) * (8 + 4)
    asked = contract(told, "research").share(told.pool("half"), 8).annotations["k8s.v1.cni.cncf.io/networks"]
    names = [name.partition("/")[2].partition("@")[0] for name in asked.split(",")]
    assert [made[name] for name in names] == FOUR


def test_a_network_that_names_a_resource_serves_all_pools() -> None:
    told = known(swapped(fabric__exposure="host-device"))
    assert len(network_manifests(told)) == len(told.namespaces) * 8
    asked = contract(told, "research").share(told.pool("half"), 8)
    assert asked.annotations["k8s.v1.cni.cncf.io/networks"].count(",") == 3


def test_a_pod_asks_for_the_devices_and_hcas_of_its_own_pool() -> None:
    told = known(swapped(fabric__exposure="host-device"))
    whole, half = (contract(told, "research").share(told.pool(name), 8) for name in ("h100", "half"))
    assert [name for name in half.resources if "rail" in name] == [f"nvidia.com/rdma_rail_{i}" for i in range(4)]
    assert len([name for name in whole.resources if "rail" in name]) == 8
    assert half.env["NCCL_IB_HCA"] == "=mlx5_0,mlx5_1,mlx5_2,mlx5_3"
    assert whole.env["NCCL_IB_HCA"].count(",") == 7


def test_addresses_of_a_rail_are_for_the_pools_that_have_it() -> None:
    pools = ip_pools(known(fleet()))
    asked = [len(one["spec"]["nodeSelector"]["nodeSelectorTerms"]) for one in pools]
    assert asked == [2] * 4 + [1] * 4


def test_the_gateway_of_a_rail_is_nobody_elses_and_what_others_have_is_left_out() -> None:
    told = known(edited(ROCE, {"fabric.ipam.gateway": 1, "fabric.ipam.exclude": ["10.64.1.240/28"]}))
    first, second = (one["spec"] for one in ip_pools(told)[:2])
    assert (first["gateway"], "exclusions" in first) == ("10.64.0.1", False)
    assert second["exclusions"] == [{"startIP": "10.64.1.240", "endIP": "10.64.1.255"}]


def test_routes_go_by_the_gateway_of_each_rail() -> None:
    asked = {"fabric.ipam.gateway": 1, "fabric.ipam.routes": ["10.64.0.0/12"]}
    assert [one["spec"]["routes"] for one in ip_pools(known(edited(ROCE, asked)))] == [[{"dst": "10.64.0.0/12"}]] * 8


def test_whereabouts_keeps_off_the_gateway_and_routes_by_it() -> None:
    ipam = {"kind": "whereabouts", "network": "10.64.0.0/16", "gateway": 1, "routes": ["10.64.0.0/12"]}
    told = known(edited(ROCE, {"fabric.ipam": ipam, "whereabouts": {}}))
    written = json.loads(network_manifests(told)[0]["spec"]["ipam"])
    assert written == {
        "type": "whereabouts",
        "range": "10.64.0.0/24",
        "exclude": ["10.64.0.1/32"],
        "gateway": "10.64.0.1",
        "routes": [{"dst": "10.64.0.0/12", "gw": "10.64.0.1"}],
    }


def test_on_routed_rails_each_node_has_a_subnet_and_finds_the_others_by_its_switch() -> None:
    told = known(edited(ROCE, WIDE))
    second = ip_pools(told)[1]
    assert second["kind"] == "CIDRPool"
    asked = {key: second["spec"][key] for key in ("cidr", "perNodeNetworkPrefix", "gatewayIndex", "routes")}
    rail = "172.16.16.0/20"
    assert asked == {"cidr": rail, "perNodeNetworkPrefix": 31, "gatewayIndex": 0, "routes": [{"dst": rail}]}
    assert json.loads(network_manifests(told)[1]["spec"]["ipam"])["poolType"] == "cidrpool"


def test_named_nodes_have_the_subnets_that_their_switch_ports_know() -> None:
    hosts = [f"gpu{i:02}" for i in range(8)]
    static = ip_pools(known(edited(ROCE, {**WIDE, "fabric.ipam.hosts": hosts})))[1]["spec"]["staticAllocations"]
    assert static[0] == {"nodeName": "gpu00", "prefix": "172.16.16.0/31"}
    assert static[7] == {"nodeName": "gpu07", "prefix": "172.16.16.14/31"}


@pytest.mark.parametrize("document", [edited(ROCE, WIDE), edited(ROCE, {"fabric.ipam.gateway": 1}), fleet()])
def test_pools_of_addresses_are_valid(document: dict[str, Any]) -> None:
    for pool in ip_pools(known(document)):
        assert faults({"apiVersion": pool["api_version"], **{k: pool[k] for k in ("kind", "metadata", "spec")}}) == []
