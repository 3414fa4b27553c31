"""Racks whose NVLink joins nodes: their driver, a ComputeDomain per team, and pods that claim a channel of it."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.components.facts import Args, Facts
from bedplate.components.operators.dra_driver import DraDriverSection, compute_domains, helm_values
from bedplate.components.operators.gpu_operator import GpuOperatorSection
from bedplate.components.operators.gpu_operator import helm_values as gpu_values
from bedplate.components.scheduling.kueue import KueueSection
from bedplate.components.scheduling.kueue import helm_values as kueue_values
from bedplate.components.workload.contract import Contract, contract
from bedplate.components.workload.job import TrainingJob
from bedplate.components.workload.pod import Role, pod_template
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.jobs.placement import check_placement
from bedplate.stacks.load import load
from tests.crds import faults
from tests.unit.checks.case import GONE, edited

PROFILE = Path(__file__).parents[1] / "profiles" / "gb200-36-racks.yaml"
CLAIM = [{"name": "imex", "resourceClaimTemplateName": "gb200-imex"}]


@cache
def document() -> dict[str, Any]:
    return yaml.safe_load(PROFILE.read_text())


def known(**changes: Any) -> Facts:
    return facts(load(edited(document(), {key.replace("__", "."): value for key, value in changes.items()})))


def job(**changes: Any) -> TrainingJob:
    fields: dict[str, Any] = {"name": "llm", "team": "research", "kind": "JobSet", "image": "example.com/train:1"}
    return TrainingJob.model_validate({**fields, "command": ["train"], "pool": "gb200", "nodes": 36, **changes})


def template(told: Facts, *, coordinator: bool = False, **changes: Any) -> dict[str, Any]:
    return pod_template(job(**changes), contract(told, "research"), Role(coordinator=coordinator))["spec"]


def test_each_team_has_a_compute_domain_of_its_own_on_the_racks() -> None:
    domains = compute_domains(known())
    assert [one["metadata"]["namespace"] for one in domains] == ["pretraining", "research"]
    for one in domains:
        assert faults({"apiVersion": one["api_version"], **{k: one[k] for k in ("kind", "metadata", "spec")}}) == []


@pytest.mark.parametrize(
    "key", ["CriticalAddonsOnly", "node-role.kubernetes.io/etcd", "node-role.kubernetes.io/control-plane"]
)
def test_the_controller_gets_to_the_control_plane_whatever_keeps_other_pods_off_it(key: str) -> None:
    """Its chart requires such a node, and Helm replaces the chart's own list."""
    told = helm_values(Args(DraDriverSection(), known()))["controller"]["tolerations"]
    assert {"key": key, "operator": "Exists"} in told


def test_the_controller_tolerates_what_the_profile_says_of_any_pool() -> None:
    taint = {"key": "site/reserved", "value": "infra", "effect": "NoExecute"}
    chosen = {"selector": {"site/role": "server"}, "taints": [taint]}
    servers = {"name": "servers", "shape": {"cpus": 32, "memoryGib": 128}, "nodes": 3, **chosen}
    told = known(pools__0__selector={"site/role": "system"}, pools__2=servers)
    tolerated = helm_values(Args(DraDriverSection(), told))["controller"]["tolerations"]
    assert {"key": "site/reserved", "operator": "Exists", "effect": "NoExecute"} in tolerated
    assert not any("key" not in one for one in tolerated)  # from a node that is dead it must go


def test_pods_on_several_nodes_claim_the_channel_that_the_domain_makes() -> None:
    told = known()
    spec = template(told)
    assert spec["resourceClaims"] == CLAIM
    assert spec["containers"][0]["resources"]["claims"] == [{"name": "imex"}]
    made = {one["spec"]["channel"]["resourceClaimTemplate"]["name"] for one in compute_domains(told)}
    assert {one["resourceClaimTemplateName"] for one in spec["resourceClaims"]} <= made


@pytest.mark.parametrize("alone", [{"nodes": 1}, {"coordinator": True}])
def test_a_pod_with_nobody_to_share_memory_with_claims_nothing(alone: dict[str, Any]) -> None:
    spec = template(known(), **alone)
    assert "resourceClaims" not in spec
    assert "claims" not in spec["containers"][0]["resources"]


def test_the_contract_names_the_claim_for_other_peoples_jobs() -> None:
    told = known()
    said = Contract(told, told.team("research")).document()["wholeNode"]["gb200"]
    assert said["resourceClaimTemplate"] == "gb200-imex"


def test_part_of_a_node_cannot_join_others_over_nvlink() -> None:
    told = known()
    lines = {
        (nodes, gpus): [
            str(one) for one in check_placement(job(nodes=nodes, gpusPerNode=gpus), told, told.pool("gb200"))
        ]
        for nodes, gpus in ((36, 2), (36, 4), (1, 2))
    }
    said = {case: [line for line in found if "NVLink joins its nodes" in line] for case, found in lines.items()}
    assert [len(found) for found in said.values()] == [1, 0, 0]
    assert said[36, 2][0].startswith("gpusPerNode = 2")
    assert said[36, 2][0].endswith("use 4")


def test_the_driver_hands_out_channels_and_no_gpus() -> None:
    values = helm_values(Args(DraDriverSection(), known()))
    assert values["resources"] == {"gpus": {"enabled": False}, "computeDomains": {"enabled": True}}
    assert values["nvidiaDriverRoot"] == "/run/nvidia/driver"
    assert "affinity" not in values["controller"]  # the chart's own: a node of the control plane


def test_where_the_image_brings_the_driver_it_is_the_nodes_own() -> None:
    assert "nvidiaDriverRoot" not in helm_values(Args(DraDriverSection(), known(driverOwner="image")))


def test_a_clouds_control_plane_has_no_node_for_the_controller() -> None:
    rack = {"name": "gb200", "shape": "ND128isr_NDR_GB200_v6", "nodes": 18}
    fabric = {"kind": "infiniband", "exposure": "exclusive"}
    told = known(platform="aks", pools=[document()["pools"][0], rack], fabric=fabric)
    (term,) = helm_values(Args(DraDriverSection(), told))["controller"]["affinity"]["nodeAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"
    ]["nodeSelectorTerms"]
    assert term == {"matchExpressions": [{"key": "nvidia.com/gpu.present", "operator": "DoesNotExist"}]}


def test_gpudirect_on_grace_has_its_kernel_parameter() -> None:
    config = gpu_values(Args(GpuOperatorSection(), known()))["driver"]["kernelModuleConfig"]
    assert config == {"name": "bedplate-kernel-modules"}
    plain = known(
        pools__1__shape="dgx-h100", pools__1__nodes=18, pools__1__minReady=GONE, draDriver=GONE, fabric={"kind": "none"}
    )
    assert "kernelModuleConfig" not in gpu_values(Args(GpuOperatorSection(), plain))["driver"]


def test_kueue_admits_jobs_with_claims() -> None:
    section = KueueSection(kind="kueue")
    gates = kueue_values(Args(section, known()))["controllerManager"]["featureGates"]
    assert {one["name"] for one in gates if not one["enabled"]} == {
        "KueueDRAIntegration",
        "KueueDRARejectWorkloadsWhenDRADisabled",
    }


def test_a_rack_is_a_level_of_the_topology_and_jobs_are_kept_in_one_if_they_fit() -> None:
    topology = known().scheduler.topology
    assert topology is not None
    assert topology.levels == ("example.com/hall", "nvidia.com/gpu.clique", "kubernetes.io/hostname")
    assert topology.preferred == "nvidia.com/gpu.clique"


@pytest.mark.parametrize(
    ("name", "wider", "machine"),
    [
        ("gke-a4x", "cloud.google.com/gce-topology-subblock", "cloud.google.com/gce-topology-host"),
        ("oke-gb200", "oci.oraclecloud.com/rdma.local_block_id", "oci.oraclecloud.com/rdma.host_id"),
    ],
)
def test_a_rack_is_wider_than_a_machine_where_the_cloud_labels_machines(name: str, wider: str, machine: str) -> None:
    topology = facts(load(yaml.safe_load((PROFILE.parent / f"{name}.yaml").read_text()))).scheduler.topology
    assert topology is not None
    assert topology.levels[-4:] == (wider, "nvidia.com/gpu.clique", machine, "kubernetes.io/hostname")
    assert topology.preferred == "nvidia.com/gpu.clique"


def test_racks_beside_other_gpus_leave_the_topology_to_the_site() -> None:
    other = {
        "name": "h100",
        "shape": "dgx-h100",
        "nodes": 4,
        "rails": [f"ib{i}" for i in range(8)],
        "selector": {"a": "b"},
    }
    pools = [document()["pools"][0], {**document()["pools"][1], "selector": {"a": "c"}}, other]
    topology = known(pools=pools).scheduler.topology
    assert topology is not None
    assert "nvidia.com/gpu.clique" not in topology.levels
