"""Profiles of cloud nodes for tests: small, and only as full as a pool needs."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from bedplate.plan.graph import Graph, Node
from bedplate.stacks.hardware.shapes import SHAPES
from tests.stack_files import graph_of

AWS_CAPACITIES: dict[str, dict[str, Any]] = {
    "on-demand": {"kind": "on-demand"},
    "odcr": {"kind": "odcr", "id": "cr-0123456789abcdef0"},
    "odcr-in-group": {"kind": "odcr", "id": "cr-0123456789abcdef1", "inPlacementGroup": "bought-together"},
    "capacity-block": {"kind": "capacity-block", "id": "cr-0123456789abcdef2"},
}
GCP_CAPACITIES: dict[str, dict[str, Any]] = {
    "on-demand": {"kind": "on-demand"},
    "reservation": {"kind": "reservation", "name": "gpus", "block": "block-1", "project": "shared"},
    "reservation-with-policy": {"kind": "reservation", "name": "gpus", "placementPolicy": "made-with"},
}
BLOCKS_ALONE = "p6e-gb200.36xlarge"
"""The machine that AWS sells by the UltraServer, in Capacity Blocks only."""
EFA_SHAPES = tuple(
    name for name, shape in SHAPES.items() if shape.cloud == "eks" and shape.nics and name != BLOCKS_ALONE
)
GB200 = {
    "gpu": "GB200",
    "gpus": 4,
    "cpus": 144,
    "memoryGib": 960,
    "arch": "arm64",
    "fabrics": ["efa"],
    "nics": 4,
    "nicGbps": 400,
    "nvlinkDomain": 72,
}
"""A machine whose interfaces nobody publishes, given in full."""


SYSTEM = {"name": "system", "shape": {"cpus": 16, "memoryGib": 64}, "nodes": 3}
"""Where ordinary pods run; made elsewhere."""


def _system(pools: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [] if any(pool["name"] == SYSTEM["name"] for pool in pools) else [SYSTEM]


def eks(*pools: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An EKS profile with these pools in us-east-2a."""
    return {
        "name": "test",
        "platform": "eks",
        "nodeOs": "al2023-nvidia",
        "kubernetesVersion": "1.34",
        "context": "test",
        "driverOwner": "image",
        "pools": [
            *({"nodes": 2, "zone": "us-east-2a", "capacity": AWS_CAPACITIES["on-demand"], **pool} for pool in pools),
            *_system(pools),
        ],
        "existingDevicePlugin": True,
        "fabric": {"kind": "efa"},
        "efaDevicePlugin": {},
        "cloud": {"kind": "aws", "region": "us-east-2"},
        **more,
    }


def gke(*pools: dict[str, Any], fabric: str = "tcpxo", **more: Any) -> dict[str, Any]:
    """A GKE profile with these pools in us-central1-a."""
    return {
        "name": "test",
        "platform": "gke",
        "nodeOs": "cos",
        "kubernetesVersion": "1.34",
        "context": "test",
        "driverOwner": "cloud",
        "pools": [
            *({"nodes": 2, "zone": "us-central1-a", "capacity": GCP_CAPACITIES["on-demand"], **pool} for pool in pools),
            *_system(pools),
        ],
        "fabric": {"kind": fabric},
        "cloud": {"kind": "gcp", "project": "example-project", "region": "us-central1"},
        **more,
    }


def pool_name(shape: str, capacity: str) -> str:
    """Of the pool with both."""
    return f"{shape.lower().replace('.', '-')}-{capacity}"


@cache
def every_eks_pool() -> Graph:
    """Every EFA shape with every kind of capacity, in one cluster."""
    pools = [
        {"name": pool_name(shape, kind), "shape": shape, "capacity": capacity}
        for shape in EFA_SHAPES
        for kind, capacity in AWS_CAPACITIES.items()
    ]
    full = {"name": "gb200", "shape": BLOCKS_ALONE, "capacity": AWS_CAPACITIES["capacity-block"]}
    cpu = {
        "name": "cpu",
        "shape": {"cpus": 16, "memoryGib": 64},
        "instanceType": "m7i.4xlarge",
        "zone": None,
        "zones": ["us-east-2a", "us-east-2b"],
    }
    return graph_of(eks(*pools, full, cpu))


def one(graph: Graph, kind: str, name: str) -> Node:
    """The one resource of a kind and name."""
    (node,) = (node for node in graph.resources if node.kind == kind and node.name == name)
    return node


def every(graph: Graph, kind: str) -> list[Node]:
    """All resources of a kind."""
    return [node for node in graph.resources if node.kind == kind]
