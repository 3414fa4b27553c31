"""Machines that a cloud does not place in its network have no labels of it, and Kueue would never start a job there."""

from typing import Any

import pytest
import yaml

from bedplate.catalog.placement import placed
from bedplate.components.facts import Facts
from bedplate.components.scheduling.kueue_queues import queue_manifests
from bedplate.components.training.render import manifests
from bedplate.components.verification.pools import places
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.jobs.checks import load_job
from bedplate.stacks.load import load
from tests.cloud_profiles import eks

LAYERS = [f"topology.k8s.aws/network-node-layer-{layer}" for layer in (1, 2, 3)]


def known(**scheduling: Any) -> Facts:
    servers = {"name": "g6", "shape": "g6.48xlarge"}
    more = {"kind": "kueue", **scheduling}
    pools = eks({"name": "p5", "shape": "p5.48xlarge"}, servers, scheduling=more, tenancy={"teams": [{"name": "team"}]})
    return facts(load({**pools, "training": {"jobset": {}}}))


def topologies(found: Facts) -> dict[str, str]:
    flavors = [one for one in queue_manifests(found) if one["kind"] == "ResourceFlavor"]
    return {one["metadata"]["name"]: one["spec"]["topologyName"] for one in flavors}


def asked(found: Facts, pool: str) -> str:
    """How near to each other the pods of a job must be."""
    said = {"name": "j", "team": "team", "kind": "JobSet", "pool": pool, "nodes": 2, "image": "a/b:1", "command": ["c"]}
    return "".join(
        line
        for line in yaml.safe_dump(list(manifests(load_job(said, found), found))).splitlines()
        if "topology" in line
    )


def test_a_pool_without_the_clouds_labels_is_placed_by_its_nodes_alone() -> None:
    found = known()
    assert topologies(found) == {"p5": "network", "g6": "nodes", "system": "nodes"}
    assert places(found, found.pool("p5")) == LAYERS
    assert places(found, found.pool("g6")) == []
    assert "preferred" in asked(found, "p5")
    assert "preferred" not in asked(found, "g6")


def test_labels_of_the_sites_own_are_on_every_pool() -> None:
    found = known(topology={"levels": ["example.com/rack"]})
    assert topologies(found) == {"p5": "network", "g6": "network", "system": "nodes"}
    assert places(found, found.pool("g6")) == ["example.com/rack"]


@pytest.mark.parametrize(
    ("machine", "expected"),
    [
        ("p4d.24xlarge", True),
        ("p6e-gb200.36xlarge", True),
        ("g6e.xlarge", True),
        ("p5.4xlarge", False),
        ("g6.12xlarge", False),
        ("a3-megagpu-8g", True),
        ("a4x-highgpu-4g", True),
        ("a3-highgpu-1g", False),
        ("g2-standard-48", False),
        ("BM.GPU.H100.8", True),
        ("BM.GPU4.8", True),
        ("BM.GPU.A10.4", False),
        ("VM.GPU.A10.2", False),
        ("custom", True),
    ],
)
def test_a_cloud_labels_the_machines_of_its_list(machine: str, expected: bool) -> None:  # noqa: FBT001 - a row of a table
    assert placed(machine) is expected
