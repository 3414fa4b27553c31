"""GKE nodes over every GPU machine and every kind of capacity: networks, placement, reservation, driver."""

from functools import cache
from typing import Any

import pytest

from bedplate.catalog.machines import sold_by
from bedplate.plan.graph import Graph
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.hardware.shapes import SHAPES
from bedplate.stacks.load import load
from tests.cloud_profiles import GCP_CAPACITIES, every, gke, one
from tests.stack_files import graph_of

FABRICS = {"a3-megagpu-8g": "tcpxo", "a3-ultragpu-8g": "gib", "a4-highgpu-8g": "gib", "a4x-highgpu-4g": "gib"}


@cache
def pools_of(shape: str) -> Graph:
    """A pool of the shape for every kind of capacity."""
    pools = [{"name": kind, "shape": shape, "capacity": capacity} for kind, capacity in GCP_CAPACITIES.items()]
    return graph_of(gke(*pools, fabric=FABRICS[shape], gpuOperator={}, nfd={}))


def test_every_machine_says_what_gke_calls_its_gpu_and_how_many_disks_come_with_it() -> None:
    assert [name for name, one in sold_by("google").items() if not one.cloud_gpu or one.local_ssds is None] == []


@pytest.mark.parametrize("shape", FABRICS)
def test_nodes_have_an_interface_for_every_nic_in_one_zone(shape: str) -> None:
    extra = 1 if FABRICS[shape] == "gib" else 0  # the second gVNIC
    for pool in every(pools_of(shape), "NodePool"):
        networks = pool.inputs["networkConfig"]["additionalNodeNetworkConfigs"]
        assert len(networks) == (SHAPES[shape].nics or 0) + extra
        assert len({each["subnetwork"] for each in networks}) == len(networks)
        assert pool.inputs["nodeLocations"] == ["us-central1-a"]


@pytest.mark.parametrize("shape", FABRICS)
def test_a_policy_of_ours_and_a_reservation_never_meet(shape: str) -> None:
    graph = pools_of(shape)
    (policy,) = every(graph, "ResourcePolicy")
    assert policy.name == "on-demand"
    assert policy.inputs["groupPlacementPolicy"]["collocation"] == "COLLOCATED"
    placed = {p.name: p.inputs.get("placementPolicy", {}).get("policyName") for p in every(graph, "NodePool")}
    assert placed == {"on-demand": "test-on-demand", "reservation": None, "reservation-with-policy": "made-with"}
    assert policy.urn in one(graph, "NodePool", "on-demand").dependencies


def test_the_placement_type_that_reads_back_empty_is_ignored() -> None:
    graph = pools_of("a3-megagpu-8g")
    assert one(graph, "NodePool", "on-demand").options.ignore_changes == ("placementPolicy.type",)
    assert one(graph, "NodePool", "reservation").options.ignore_changes == ()


def test_a_reservation_is_the_only_source_of_its_pool() -> None:
    config = one(pools_of("a4-highgpu-8g"), "NodePool", "reservation").inputs["nodeConfig"]
    assert config["reservationAffinity"] == {
        "consumeReservationType": "SPECIFIC_RESERVATION",
        "key": "compute.googleapis.com/reservation-name",
        "values": ["projects/shared/reservations/gpus/reservationBlocks/block-1"],
    }


def test_tcpxo_has_a_vpc_per_nic_and_gib_one_roce_vpc_of_the_zone() -> None:
    mega = [node for node in every(pools_of("a3-megagpu-8g"), "Network") if node.type.startswith("gcp:")]
    assert len(mega) == 8
    assert {node.inputs["mtu"] for node in mega} == {8244}
    ultra = {n.name: n.inputs for n in every(pools_of("a3-ultragpu-8g"), "Network") if n.type.startswith("gcp:")}
    assert set(ultra) == {"gvnic-1", "rdma"}
    assert ultra["rdma"]["networkProfile"].endswith("/us-central1-a-vpc-roce")
    rdma = [n for n in every(pools_of("a3-ultragpu-8g"), "Subnetwork") if n.name.startswith("rdma-")]
    assert len(rdma) == 8


@pytest.mark.parametrize("shape", FABRICS)
def test_pods_name_networks_that_exist(shape: str) -> None:
    known = facts(load(gke({"name": "gpu", "shape": shape}, fabric=FABRICS[shape])))
    objects = [n for n in every(pools_of(shape), "Network") if n.type.startswith("kubernetes:")]
    names = {node.inputs["metadata"]["name"] for node in objects}
    assert set(known.fabric.node_networks) <= names
    modes = {
        n.inputs["metadata"]["name"]: n.inputs["spec"]["deviceMode"]
        for n in every(pools_of(shape), "GKENetworkParamSet")
    }
    expected = "RDMA" if FABRICS[shape] == "gib" else "NetDevice"
    assert {modes[name] for name in known.fabric.node_networks} == {expected}
    for node in objects:
        reference = node.inputs["spec"]["parametersRef"]
        assert reference["name"] in modes


def installers(graph: Graph) -> list[str]:
    return [node.inputs["directory"] for node in graph.resources if node.name.startswith("gke-driver-")]


def test_where_the_operator_hands_out_the_gpus_gkes_installer_brings_the_driver() -> None:
    """GKE would install it by an init container of the very plugin that the label keeps off."""
    config = one(pools_of("a3-megagpu-8g"), "NodePool", "on-demand").inputs["nodeConfig"]
    (accelerator,) = config["guestAccelerators"]
    assert (accelerator["type"], accelerator["count"]) == ("nvidia-h100-mega-80gb", 8)
    assert accelerator["gpuDriverInstallationConfig"]["gpuDriverVersion"] == "INSTALLATION_DISABLED"
    assert config["labels"]["gke-no-default-nvidia-gpu-device-plugin"] == "true"
    assert installers(pools_of("a3-megagpu-8g")) == ["components/cloud/gcp/driver/newest"]


def test_without_the_operator_gke_installs_the_driver_and_keeps_its_plugin() -> None:
    graph = graph_of(gke({"name": "gpu", "shape": "a3-megagpu-8g"}))
    config = one(graph, "NodePool", "gpu").inputs["nodeConfig"]
    (accelerator,) = config["guestAccelerators"]
    assert accelerator["gpuDriverInstallationConfig"]["gpuDriverVersion"] == "LATEST"
    assert "gke-no-default-nvidia-gpu-device-plugin" not in config["labels"]
    assert installers(graph) == []


@pytest.mark.parametrize(("driver", "folder"), [("default", "default"), ("latest", "newest")])
def test_the_installer_is_that_of_the_driver_that_the_profile_chose(driver: str, folder: str) -> None:
    document = gke({"name": "gpu", "shape": "a3-megagpu-8g"}, nfd={}, gpuOperator={})
    document["cloud"]["gpuDriver"] = driver
    assert installers(graph_of(document)) == [f"components/cloud/gcp/driver/{folder}"]


def test_a_gpu_node_is_tainted() -> None:
    config = one(pools_of("a3-megagpu-8g"), "NodePool", "on-demand").inputs["nodeConfig"]
    assert config["taints"] == [{"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}]


def test_the_operators_driver_keeps_gkes_off() -> None:
    document = gke({"name": "gpu", "shape": "a3-megagpu-8g"}, nodeOs="ubuntu", driverOwner="operator")
    document |= {"existingDevicePlugin": True}
    config = one(graph_of(document), "NodePool", "gpu").inputs["nodeConfig"]
    (accelerator,) = config["guestAccelerators"]
    assert accelerator["gpuDriverInstallationConfig"]["gpuDriverVersion"] == "INSTALLATION_DISABLED"
    assert config["imageType"] == "UBUNTU_CONTAINERD"
    assert "gke-no-default-nvidia-gpu-device-plugin" not in config["labels"]


def test_an_autoscaler_owns_the_size_within_its_bounds() -> None:
    cpu: dict[str, Any] = {
        "name": "cpu",
        "shape": {"cpus": 16, "memoryGib": 64},
        "instanceType": "n2-standard-16",
        "zone": None,
        "zones": ["us-central1-a", "us-central1-b"],
        "autoscale": {"min": 2, "max": 6},
    }
    pool = one(graph_of(gke({"name": "gpu", "shape": "a3-megagpu-8g"}, cpu)), "NodePool", "cpu")
    assert "nodeCount" not in pool.inputs
    assert pool.inputs["initialNodeCount"] == 1
    assert pool.inputs["autoscaling"]["totalMaxNodeCount"] == 6
    assert "networkConfig" not in pool.inputs
    assert "placementPolicy" not in pool.inputs
