"""Firmware of the rails' NICs: what the NIC Configuration Operator is told, who drains for it, and who leaves it alone."""

from typing import Any

import pytest

from bedplate.components.facts import Args
from bedplate.components.operators import network_operator, nic_cluster_policy
from bedplate.components.operators.nic_configuration import nic_templates
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.platform.deploy import founded
from bedplate.stacks.profile.profile import Profile
from tests.crds import faults
from tests.helm_keys import key_faults
from tests.unit.checks.case import GONE, edited

ADDRESSES = [f"0000:{bus}:00.0" for bus in ("18", "2a", "3a", "5d", "9a", "ab", "ba", "db")]
OWN: dict[str, Any] = {"nicType": "1021", "pciAddresses": ADDRESSES}
SRIOV: dict[str, Any] = {"fabric.exposure": "sriov", "fabric.hcas": GONE}


def args(nics: list[dict[str, Any]], stack: Any = "onprem-h100-roce", **more: Any) -> Args[Any]:
    profile = load(edited(stack, {"networkOperator.nics": nics, **more}))
    assert profile.network_operator
    return Args(profile.network_operator, facts(profile))


def spec(asked: dict[str, Any], **more: Any) -> dict[str, Any]:
    (template,) = nic_templates(args([OWN | asked], **more))
    assert faults({"apiVersion": template.pop("api_version"), **template}) == []
    return template["spec"]


def test_every_setting_of_roce_reaches_the_template() -> None:
    asked = {
        "pciPerformance": {"maxAccOutRead": 44},
        "gpuDirect": True,
        "roce": {"tos": 106},
        "raw": {"CNP_DSCP_P1": "48"},
    }
    assert spec(asked) == {
        "nodeSelector": {"bedplate/pool": "h100"},
        "nicSelector": {"nicType": "1021", "pciAddresses": ADDRESSES},
        "template": {
            "linkType": "Ethernet",
            "numVfs": 0,
            "pciPerformanceOptimized": {"enabled": True, "maxReadRequest": 4096, "maxAccOutRead": 44},
            "gpuDirectOptimized": {"enabled": True, "env": "Baremetal"},
            "roceOptimized": {"enabled": True, "qos": {"trust": "dscp", "pfc": "0,0,0,1,0,0,0,0", "tos": 106}},
            "rawNvConfig": [{"name": "CNP_DSCP_P1", "value": "48"}],
        },
    }


def test_what_is_not_asked_for_is_not_in_the_template_and_the_link_is_the_fabrics() -> None:
    assert spec({}, stack="onprem-h100-ib")["template"] == {"linkType": "Infiniband", "numVfs": 8}
    assert spec({}, **SRIOV)["template"] == {"linkType": "Ethernet", "numVfs": 8}


def test_spectrum_x_has_the_one_virtual_function_that_the_operator_wants() -> None:
    asked = {"nicType": "1023", "spectrumX": {"version": "RA2.2"}}
    assert spec(asked)["template"] == {
        "linkType": "Ethernet",
        "numVfs": 1,
        "spectrumXOptimized": {
            "enabled": True,
            "version": "RA2.2",
            "overlay": "none",
            "multiplaneMode": "none",
            "numberOfPlanes": 1,
        },
    }


def test_pools_with_other_nics_have_settings_of_their_own_under_names_of_their_own() -> None:
    more = {"name": "a100", "shape": "hgx-a100", "nodes": 4}
    one = edited("onprem-h100-roce", {"networkOperator.nics": [OWN | {"pools": ["h100"]}, {"nicType": "101b"}]})
    one["pools"][1]["shape"] = "hgx-h100"
    one["pools"].append(more)
    profile = load(one)
    made = nic_templates(Args(profile.network_operator, facts(profile)))  # type: ignore[arg-type]
    assert [(each["metadata"]["name"], each["spec"]["nodeSelector"]) for each in made] == [
        ("h100-nics-0", {"bedplate/pool": "h100"}),
        ("h100-nics-1", {"bedplate/pool": "h100"}),
        ("a100-nics-1", {"bedplate/pool": "a100"}),
    ]


def values(one: Args[Any]) -> dict[str, Any]:
    found = network_operator.helm_values(one)
    assert key_faults("network-operator", "26.4.1", found) == []
    return found


def test_nodes_are_drained_a_tenth_of_each_pool_at_a_time_by_the_maintenance_operator() -> None:
    larger: dict[str, Any] = {"pools.1.nodes": 128, "fabric.ipam.railPrefix": 20}
    one = args([OWN], **larger)
    assert values(one)["maintenanceOperator"] == {"enabled": True}
    assert values(one)["maintenance-operator-chart"] == {
        "operatorConfig": {"deploy": True, "maxParallelOperations": 12}
    }
    assert "maintenanceOperator" not in values(args([]))


def test_the_gate_of_the_pools_waits_for_firmware_and_for_virtual_functions_one_after_the_other() -> None:
    assert [args(nics, **more).facts.turns for nics, more in (([], {}), ([OWN], {}), ([], SRIOV), ([OWN], SRIOV))] == [
        0,
        turns := args([OWN]).facts.turns,
        turns,
        2 * turns,
    ]
    assert turns > 0


def test_the_sriov_operator_waits_for_the_firmware_and_leaves_it_alone() -> None:
    config = values(args([OWN], **SRIOV))["sriov-network-operator"]["sriovOperatorConfig"]
    assert config == {
        "configDaemonNodeSelector": {"network.nvidia.com/operator.nic-configuration.wait": "false"},
        "disablePlugins": ["mellanox"],
    }


@pytest.mark.parametrize(
    ("shape", "kept"), [("dgx-h100", True), ("hgx-b200", True), ("hgx-h100", False), ("rtx-pro-6000-8", False)]
)
def test_where_a_bmc_keeps_nics_powered_both_operators_reset_the_firmware_before_a_restart(
    shape: str, *, kept: bool
) -> None:
    ofed: dict[str, Any] = {"networkOperator.ofed": {"primaryNic": "other-vendor"}}
    rails: dict[str, Any] = {"fabric.rails": [f"ens{n}np0" for n in range(8 if "gx" in shape else 4)]}
    more = {
        "pools.1.shape": shape,
        **ofed,
        **rails,
        "storage": GONE,
        "verification": GONE,
        "serving": GONE,
        "fabric.hcas": GONE,
    }
    sriov = values(args([], **more, **{"fabric.exposure": "sriov"})).get("sriov-network-operator")
    assert sriov == ({"sriovOperatorConfig": {"featureGates": {"mellanoxFirmwareReset": True}}} if kept else None)
    env = nic_cluster_policy.spec(args([OWN], **more))["nicConfigurationOperator"].get("env")
    assert env == ([{"name": "FW_RESET_AFTER_CONFIG_UPDATE", "value": "true"}] if kept else None)


def test_an_sriov_operator_without_feature_gates_is_told_of_none() -> None:
    old = edited("onprem-h100-roce", {**SRIOV, "networkOperator.version": "24.7.0"})
    profile = Profile.model_validate(old)  # unchecked: it goes with no Kubernetes of today
    assert profile.network_operator
    one = Args(profile.network_operator, facts(profile))
    assert "sriov-network-operator" not in network_operator.helm_values(one)


def test_the_kinds_of_the_part_are_there_before_the_templates() -> None:
    found = nic_cluster_policy.conditions(args([OWN]))
    assert f"{nic_cluster_policy.CONFIGURATION}=ready" in found
    assert f"{nic_cluster_policy.CONFIGURATION}=ready" not in nic_cluster_policy.conditions(args([]))


def test_the_policy_is_gated_again_when_a_setting_changes() -> None:
    def proven(nics: dict[str, Any]) -> str:
        profile = load(edited("onprem-h100-roce", {"networkOperator.nics": [nics]}))
        return founded(profile).foundation

    assert proven(OWN) != proven(OWN | {"pciPerformance": {}})
