"""The policies' rules know every machine and GPU of the catalogue."""

from typing import Any

import pytest

from bedplate.catalog.gpus import GPUS, Gpu
from bedplate.catalog.machines import MACHINES, Machine
from bedplate.policies.rules import RULES
from tests.unit.policies import valid as v
from tests.unit.policies.case import verdicts

Docs = dict[str, Any]


def said(rule: str, docs: Docs) -> list[str]:
    """What one rule says."""
    return [str(each) for each in verdicts(docs, {one.id: "disabled" for one in RULES if one.id != rule})]


def sold(*sellers: str) -> Any:
    machines = [one for one in MACHINES.values() if one.seller in sellers]
    return pytest.mark.parametrize("machine", machines, ids=lambda one: one.name)


def node_group(machine: Machine, **props: Any) -> v.Doc:
    return v.cloud("aws:eks/nodeGroup:NodeGroup", "gpu", instanceTypes=[machine.name], **props)


@sold("aws")
def test_an_efa_machine_without_all_its_interfaces_is_named(machine: Machine) -> None:
    template = v.cloud("aws:ec2/launchTemplate:LaunchTemplate", "gpu", instanceType=machine.name, networkInterfaces=[])
    found = said("CLD-803", {"template": template})
    assert any(f"{machine.name} has {machine.efa}" in line for line in found) is bool(machine.efa)


@sold("aws")
def test_a_gpu_group_needs_a_driver_a_large_disk_and_tags_to_scale_from_zero(machine: Machine) -> None:
    off = {"operator": v.gpu_operator(driver={"enabled": False})}
    assert "no driver" in str(said("CLD-804", {"nodes": node_group(machine, amiType="AL2023_x86_64_STANDARD"), **off}))
    assert "has 100 GB" in str(said("CLD-811", {"nodes": node_group(machine, diskSize=100)}))
    empty = node_group(machine, scalingConfig={"minSize": 0}, tags={})
    assert "minSize is 0 without" in str(said("CLD-809", {"nodes": empty}))


@sold("aws", "google", "azure")
def test_a_scarce_machine_without_a_reservation_is_named(machine: Machine) -> None:
    props: dict[str, Any] = {
        "aws": {"instanceTypes": [machine.name]},
        "google": {"nodeConfig": {"machineType": machine.name}},
        "azure": {"vmSize": f"Standard_{machine.name}"},
    }[machine.seller]
    found = said("CLD-805", {"nodes": v.cloud("gcp:container/nodePool:NodePool", "gpu", **props)})
    assert bool(found) is machine.scarce


@sold("google")
def test_a_google_pool_has_a_network_for_every_rail(machine: Machine) -> None:
    node = {"machineType": machine.name}
    networks: dict[str, Any] = {"additionalNodeNetworkConfigs": [{}]}
    pool = v.cloud(
        "gcp:container/nodePool:NodePool", "gpu", nodeConfig=node, networkConfig=networks, placementPolicy={}
    )
    lacking = f"has 1 additional node networks of {machine.nics}"
    assert any(lacking in line for line in said("CLD-806", {"pool": pool})) is bool(machine.fabrics)


@sold("azure")
def test_an_infiniband_pool_is_in_one_zone(machine: Machine) -> None:
    size = f"Standard_{machine.name}"
    pool = v.cloud("azure-native:containerservice:AgentPool", "gpu", vmSize=size, availabilityZones=["1", "2"])
    assert bool(said("CLD-807", {"pool": pool})) is ("infiniband" in machine.fabrics)


@sold("oracle")
def test_an_oracle_shape_with_rdma_is_in_a_cluster_network(machine: Machine) -> None:
    pool = v.cloud("oci:ContainerEngine/nodePool:NodePool", "gpu", nodeShape=machine.name)
    assert bool(said("CLD-808", {"pool": pool})) is ("roce" in machine.fabrics)


def pod(**spec: Any) -> v.Doc:
    return v.manifest("v1", "Pod", "one", "team", spec=spec)


def asking(resource: str) -> v.Doc:
    limits = {"limits": {resource: 1}}
    return pod(containers=[{"name": "main", "image": "example.com/x:1", "resources": limits}])


every_gpu = pytest.mark.parametrize("gpu", GPUS.values(), ids=lambda one: one.name)


@every_gpu
def test_a_slice_is_one_that_the_gpu_can_make(gpu: Gpu) -> None:
    facts = {"pools": [v.pool(gpuProduct=gpu.product)]}
    for name in gpu.mig:
        assert said("GPU-114", {"facts": facts, "pod": asking(f"nvidia.com/mig-{name.replace('+', '.')}")}) == []
    assert "cannot make" in str(said("GPU-114", {"facts": facts, "pod": asking("nvidia.com/mig-1g.7gb")}))


@every_gpu
def test_a_product_label_is_one_of_the_models(gpu: Gpu) -> None:
    for product, wrong in ((gpu.product, False), (f"{gpu.product}-SHARED", False), (f"{gpu.product}-X", True)):
        found = said("GPU-124", {"pod": pod(nodeSelector={"nvidia.com/gpu.product": product})})
        assert bool(found) is wrong, product


def test_the_label_of_a_virtual_gpu_is_left_alone() -> None:
    assert said("GPU-124", {"pod": pod(nodeSelector={"nvidia.com/gpu.product": "NVIDIA-A10-24Q"})}) == []


@every_gpu
def test_modules_and_driver_suit_the_gpu(gpu: Gpu) -> None:
    facts = {"pools": [v.pool(gpuProduct=gpu.product)]}
    closed = v.gpu_operator(driver={"kernelModuleType": "proprietary"})
    assert bool(said("GPU-108", {"facts": facts, "operator": closed})) is (
        gpu.family == "blackwell" or gpu.form == "grace"
    )
    old = v.gpu_operator(driver={"version": "535.10.1"}, gpuCluster={"deployCR": False})
    assert bool(said("GPU-109", {"facts": facts, "operator": old})) is bool(gpu.least_driver)
