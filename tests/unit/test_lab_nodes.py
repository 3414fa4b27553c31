"""Simulated nodes: every stack's pods find what they ask for."""

from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from bedplate.components.quantity import amount
from bedplate.lab.__main__ import main
from bedplate.lab.nodes import BLOCK, RACK, nodes
from bedplate.lab.site import PROVISIONER, drivers
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.profile import Profile
from tests.cloud_profiles import SYSTEM
from tests.stack_files import STACKS, document

RACKS = "fabric.topograph.run/tier-1"
GPU_POOL = {"name": "gpu", "shape": "dgx-h100", "nodes": 2}


def profile(environment: str = "lab", **changes: object) -> Profile:
    changed = {**document(environment), **changes}
    return load({key: value for key, value in changed.items() if value is not None})


def only(changed: Profile, pool: str = "gpu") -> Mapping[str, Any]:
    return next(node for node in nodes(changed) if node["metadata"]["name"] == f"{pool}-0")


@pytest.mark.parametrize("environment", STACKS)
def test_there_is_a_node_for_every_node_of_every_pool(environment: str) -> None:
    known = facts(profile(environment))
    names = [node["metadata"]["name"] for node in nodes(profile(environment))]
    assert len(set(names)) == len(names) == sum(pool.nodes for pool in known.pools)


@pytest.mark.parametrize("environment", STACKS)
def test_a_pod_with_a_whole_node_fits_on_its_pool(environment: str) -> None:
    known = facts(profile(environment))
    for pool in known.fabric_pools:
        allocatable = only(profile(environment), pool.name)["status"]["allocatable"]
        wanted = {**known.fabric.resources(pool, pool.gpus), pool.resource: 1}
        for resource, count in wanted.items():
            assert int(allocatable[resource]) >= count, f"{pool.name} lacks {resource}"
        if known.fabric.hugepages:
            assert amount(allocatable["hugepages-2Mi"]) >= amount(known.fabric.hugepages)


@pytest.mark.parametrize("environment", STACKS)
def test_every_selector_picks_its_pool_alone(environment: str) -> None:
    everything = list(nodes(profile(environment)))
    for pool in facts(profile(environment)).gpu_pools:
        picked = [n for n in everything if pool.selector.items() <= n["metadata"]["labels"].items()]
        assert len(picked) == pool.nodes


@pytest.mark.parametrize("environment", STACKS)
def test_nodes_are_marked_as_simulated_and_carry_their_taints(environment: str) -> None:
    known = facts(profile(environment))
    for pool in known.pools:
        node = only(profile(environment), pool.name)
        assert node["metadata"]["annotations"] == {"kwok.x-k8s.io/node": "fake"}
        assert node["spec"]["taints"] == list(pool.taints)


def test_a_node_is_in_the_zone_of_its_pool_and_in_one_of_the_labs_where_that_has_none() -> None:
    zone = "topology.kubernetes.io/zone"
    stated = document("eks-p5")["pools"]
    zones = {
        node["metadata"]["name"].rpartition("-")[0]: node["metadata"]["labels"][zone]
        for node in nodes(profile("eks-p5"))
    }
    assert {pool["name"]: pool["zone"] for pool in stated if "zone" in pool}.items() <= zones.items()
    assert any("zone" in pool for pool in stated)
    assert {node["metadata"]["labels"][zone] for node in nodes(profile("onprem-h100-ib"))} == {"lab-a"}


def test_gpu_feature_discovery_describes_the_shape() -> None:
    labels = only(profile(pools=[GPU_POOL, SYSTEM]))["metadata"]["labels"]
    assert labels["nvidia.com/gpu.product"] == "NVIDIA-H100-80GB-HBM3"
    assert labels["nvidia.com/gpu.count"] == "8"
    assert labels["nvidia.com/gpu.memory"] == "81920"


def test_a_shared_device_is_there_for_as_many_pods_as_may_share_it() -> None:
    changed = profile(pools=[GPU_POOL, SYSTEM], networkOperator={"sharedPodsPerNode": 10})
    assert only(changed)["status"]["allocatable"]["rdma/rdma_shared_device_a"] == "10"


def test_a_device_of_the_sites_own_plugin_is_there_for_a_pod_per_gpu_as_quota_says() -> None:
    fabric = {"kind": "infiniband", "exposure": "shared", "existingDevices": {"example.com/hca": 1}}
    changed = profile(pools=[GPU_POOL, SYSTEM], fabric=fabric, networkOperator=None)
    assert only(changed)["status"]["allocatable"]["example.com/hca"] == "8"
    assert facts(changed).capacity["gpu"]["example.com/hca"] == 16


def test_huge_pages_are_as_many_as_our_own_nodes_set_aside() -> None:
    changed = {**document("eks-p5"), "fabric": {"kind": "efa", "hugepages": "8192Mi"}}
    assert only(load(changed), "p5")["status"]["allocatable"]["hugepages-2Mi"] == f"{2 * 8192 + 16}Mi"
    assert "hugepages-2Mi" not in only(load(changed), "system")["status"]["allocatable"], "outside the fabric"


def test_nodes_plug_in_the_drivers_of_the_profile_and_of_the_sites_own_classes() -> None:
    assert drivers(profile()) == []
    assert drivers(profile(storage={"existingClasses": [{"name": "nfs", "kind": "nfs"}]})) == [PROVISIONER]


def test_virtual_functions_are_there_on_every_rail() -> None:
    fabric = {**document("lab")["fabric"], "exposure": "sriov", "numVfs": 4}
    allocatable = only(profile(pools=[GPU_POOL, SYSTEM], fabric=fabric))["status"]["allocatable"]
    assert {allocatable[f"nvidia.com/rdma_rail_{rail}"] for rail in range(8)} == {"4"}


def test_mig_slices_replace_whole_gpus() -> None:
    node = only(profile(pools=[{**GPU_POOL, "mig": {"1g.10gb": 7}}, SYSTEM]))
    assert node["status"]["allocatable"]["nvidia.com/mig-1g.10gb"] == "56"
    assert "nvidia.com/gpu" not in node["status"]["allocatable"]
    assert node["metadata"]["labels"]["nvidia.com/mig.config"] == "gpu"


def test_time_slices_are_renamed() -> None:
    allocatable = only(profile(pools=[{**GPU_POOL, "timeSlicing": 4}, SYSTEM]))["status"]["allocatable"]
    assert allocatable["nvidia.com/gpu.shared"] == "32"
    assert "nvidia.com/gpu" not in allocatable


def test_racks_and_blocks_fill_up_in_order() -> None:
    pool = {**GPU_POOL, "nodes": BLOCK + 1, "taints": []}
    fabric = {**document("lab")["fabric"]}
    fabric["ipam"] = {**fabric["ipam"], "railPrefix": 22, "network": "10.64.0.0/13"}
    labels = [node["metadata"]["labels"] for node in nodes(profile(pools=[pool], fabric=fabric))]
    assert [label[RACKS] for label in labels].count("gpu-rack-0") == RACK
    assert labels[0]["fabric.topograph.run/tier-2"] != labels[-1]["fabric.topograph.run/tier-2"]


def test_clouds_say_rack_and_block_in_their_own_words() -> None:
    labels = next(iter(nodes(profile("eks-p5"))))["metadata"]["labels"]
    assert "topology.k8s.aws/network-node-layer-3" in labels
    assert RACKS not in labels


def test_the_command_prints_what_kubectl_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nodes", "lab"]) == 0
    printed = list(yaml.safe_load_all(capsys.readouterr().out))
    assert printed == list(nodes(profile()))


def test_an_unknown_stack_is_refused_with_the_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nodes", "nowhere"]) == 2
    assert capsys.readouterr().err.startswith(
        "lab: nowhere: there is no stacks/Pulumi.nowhere.yaml; known stacks: eks-p5, "
    )
