"""The table of platforms: whoever names one, or a cloud, a fabric or a label of it, says the same."""

from typing import Any, get_args

import pytest

from bedplate.components.platforms import CLOUDS, PLATFORMS, CloudPlatform, FabricKind, PlatformName
from bedplate.lab.nodes import nodes
from bedplate.policies.facts import Facts as PolicyFacts
from bedplate.policies.judging.judge import judge
from bedplate.policies.manifests.charts import from_manifest
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.hardware.platforms import OWNERSHIP
from bedplate.stacks.hardware.shapes import SHAPES
from bedplate.stacks.load import load
from bedplate.stacks.profile.cloud import AnyCloud
from bedplate.stacks.profile.fabrics import AnyFabric
from tests.cloud_profiles import SYSTEM
from tests.tools.pages import platforms as matrix


def kinds(union: Any) -> set[str]:
    """Of the sections of a discriminated union."""
    return {
        kind for section in get_args(get_args(union)[0]) for kind in get_args(section.model_fields["kind"].annotation)
    }


def test_what_a_profile_may_name_is_what_the_table_has() -> None:
    assert get_args(PlatformName) == tuple(PLATFORMS)
    assert set(get_args(CloudPlatform)) == CLOUDS
    assert set(get_args(FabricKind)) == {kind for row in PLATFORMS.values() for kind in row.fabrics}
    assert kinds(AnyFabric) == set(get_args(FabricKind))
    assert kinds(AnyCloud) == {row.cloud for row in PLATFORMS.values() if row.cloud}


def test_the_labels_of_a_clouds_topology_are_those_of_its_documentation() -> None:
    assert {name: row.levels for name, row in PLATFORMS.items() if row.levels} == {
        "eks": (
            "topology.k8s.aws/network-node-layer-1",
            "topology.k8s.aws/network-node-layer-2",
            "topology.k8s.aws/network-node-layer-3",
        ),
        "gke": (
            "cloud.google.com/gce-topology-block",
            "cloud.google.com/gce-topology-subblock",
            "cloud.google.com/gce-topology-host",
        ),
        "oke": (
            "oci.oraclecloud.com/rdma.hpc_island_id",
            "oci.oraclecloud.com/rdma.network_block_id",
            "oci.oraclecloud.com/rdma.local_block_id",
            "oci.oraclecloud.com/rdma.host_id",
        ),
    }


def test_every_platform_has_a_driver_and_every_cloud_a_label_of_its_pools() -> None:
    assert {platform for platform, _, _ in OWNERSHIP} == set(PLATFORMS)
    assert {name for name, row in PLATFORMS.items() if row.pool_label} == CLOUDS


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_forms_fabrics_that_its_platform_can_have(shape: str) -> None:
    home = SHAPES[shape].cloud
    possible = PLATFORMS[home].fabrics if home else PLATFORMS["kubeadm"].fabrics
    assert set(SHAPES[shape].fabrics) <= possible


def cluster(platform: str) -> dict[str, Any]:
    os, owner = next((os, owner) for name, os, owner in OWNERSHIP if name == platform)
    shape = next((name for name, one in SHAPES.items() if one.cloud == platform and one.gpus), "dgx-h100")
    return {
        "name": "test",
        "platform": platform,
        "nodeOs": os,
        "driverOwner": owner,
        "kubernetesVersion": "1.34",
        "context": "test",
        "pools": [{"name": "gpu", "shape": shape, "nodes": 2}, SYSTEM],
        "existingDevicePlugin": True,
        "fabric": {"kind": "none"},
        "scheduling": {"kind": "kueue"},
        "tenancy": {"teams": [{"name": "research"}]},
    }


@pytest.mark.parametrize("platform", PLATFORMS)
def test_simulated_nodes_have_every_label_of_the_platforms_topology_and_pools(platform: str) -> None:
    """Kueue leaves out a node that lacks the label of one level (topology-aware scheduling)."""
    profile = load(cluster(platform))
    topology = facts(profile).scheduler.topology
    assert topology
    for node in (one for one in nodes(profile) if one["metadata"]["name"].startswith("gpu-")):
        assert {*topology.levels} <= set(node["metadata"]["labels"])
        assert PLATFORMS[platform].pool_label in {None, *node["metadata"]["labels"]}


@pytest.mark.parametrize("platform", [name for name, row in PLATFORMS.items() if row.levels])
def test_the_rules_know_the_labels_of_a_clouds_nodes_and_no_others(platform: str) -> None:
    row = PLATFORMS[platform]
    assert complaints(platform, *row.levels, str(row.pool_label)) == []
    assert complaints(platform, "example.com/rack") == [f"level example.com/rack is no label of {platform}"]


def complaints(platform: str, *levels: str) -> list[str]:
    labels = [{"nodeLabel": level} for level in (*levels, "kubernetes.io/hostname")]
    topology = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Topology", "metadata": {"name": "network"}}
    resource = from_manifest(topology | {"spec": {"levels": labels}})
    found = judge([resource], PolicyFacts(platform=platform), complete=False)
    return [verdict.message.partition(": ")[2].split(". ")[0] for verdict in found if verdict.rule == "SCH-413"]


def test_the_committed_page_of_platforms_is_current() -> None:
    assert matrix.PAGE_FILE.read_text() == matrix.page()
