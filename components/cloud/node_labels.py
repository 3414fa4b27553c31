"""What nodes of any cloud have alike: labels and taints by which everybody else selects them, and their placement."""

from typing import Any, Literal

from bedplate.components.facts import NodePool
from bedplate.components.facts.capacity import OnDemand, Placement, Spot
from bedplate.components.nodes.pool_labels import slicing_labels

NOT_OURS = (
    "cloud.google.com/",
    "eks.amazonaws.com/",
    "feature.node.kubernetes.io/",
    "kubernetes.io/",
    "node.kubernetes.io/",
    "nvidia.com/gpu.",
    "topology.kubernetes.io/",
)
"""Labels by which a pool may be picked, but which the cloud, the kubelet or a feature discovery writes."""

EFFECTS = {"NoSchedule": "NO_SCHEDULE", "NoExecute": "NO_EXECUTE", "PreferNoSchedule": "PREFER_NO_SCHEDULE"}
"""Kubernetes' words in those of both EKS and GKE."""


def node_labels(pool: NodePool) -> dict[str, str]:
    """The pool's labels, how its GPUs are cut, and those of its selector that nobody else writes."""
    selected = {key: value for key, value in pool.selector.items() if not key.startswith(NOT_OURS)}
    return {**selected, **pool.labels, **slicing_labels(pool)}


def node_taints(pool: NodePool) -> list[Any]:
    """The pool's taints, as EKS and GKE spell them."""
    return [
        {"key": taint["key"], "value": taint["value"], "effect": EFFECTS[str(taint["effect"])]} for taint in pool.taints
    ]


def own_placement(pool: NodePool, usual: Literal["cluster", "compact"]) -> Placement | None:
    """The placement to make: what the profile says, or the cloud's usual one for RDMA on demand.

    Never with a reservation. EC2 does not find capacity in a group in which it was not reserved
    (terraform-aws-modules/terraform-aws-eks#3730), a Capacity Block stands together anyway (EC2 User Guide), and a VM
    of Compute Engine takes from a reservation only with the very policy that it was made with.
    """
    if not isinstance(pool.capacity, OnDemand | Spot):
        return None
    return pool.placement or (Placement(strategy=usual) if pool.nics else None)
