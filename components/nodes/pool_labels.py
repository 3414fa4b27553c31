"""Labels that tell a pool's nodes, and how to cut up their GPUs: written by NFD from the GPU's PCI id, not by hand.

Hand-set labels drift and are missing on a replaced node. Clouds label nodes from their node group instead, so there
this component is absent (`stacks/platform/`).
"""

from collections.abc import Collection, Mapping
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts, NodePool
from bedplate.components.nodes.feature_discovery import NodeFeatureDiscoverySection

POOL_LABEL = "bedplate/pool"
"""The pool's name, where nothing else tells its nodes before they have a driver."""


class PoolLabels(Component[NodeFeatureDiscoverySection], token="bedplate:nodes:PoolLabels"):
    """One NodeFeatureRule with a rule for each pool that is told by its GPU alone, and must be."""

    def _declare(self, args: Args[NodeFeatureDiscoverySection], child: pulumi.ResourceOptions) -> None:
        name = self.pulumi_resource_name
        k8s.apiextensions.CustomResource(
            name,
            api_version="nfd.k8s-sigs.io/v1alpha1",
            kind="NodeFeatureRule",
            metadata={"name": f"bedplate-{name}"},
            spec={"rules": rules(args.facts)},
            opts=child,
        )


def rules(facts: Facts) -> list[dict[str, Any]]:
    """One for each pool with labels from here that is all there is of its GPU.

    NFD sees hardware and no labels: among nodes with one GPU a rule would slice those of the other pools too, so
    there whoever made the selectors labels the nodes (docs/gpu-operator.md).
    """
    ids = {pool.name: pool.pci_device_ids for pool in facts.gpu_pools}
    return [rule(pool, facts) for pool in facts.gpu_pools if written(pool, facts) and alone(pool.name, ids)]


def written(pool: NodePool, facts: Facts) -> dict[str, str]:
    """How its GPUs are cut; and by which the Network Operator, or whoever has no better label, finds its nodes."""
    on_fabric = pool.nics and "networkOperator" in facts.has
    asked = POOL_LABEL in pool.found_by and (on_fabric or POOL_LABEL in pool.selector)
    return {**(dict(pool.found_by) if asked else {}), **slicing_labels(pool)}


def alone(name: str, ids: Mapping[str, Collection[str]]) -> bool:
    """The PCI ids of that pool's GPU are known, and no other pool has one of them; `ids` has those of every pool."""
    own = set(ids.get(name, ()))
    return bool(own) and all(own.isdisjoint(others) for other, others in ids.items() if other != name)


def slicing_labels(pool: NodePool) -> dict[str, str]:
    """Node labels by which the MIG manager and the device plugin pick the pool's entry of their ConfigMaps."""
    return {
        **({"nvidia.com/mig.config": pool.name} if pool.cut else {}),
        **({"nvidia.com/device-plugin.config": pool.name} if pool.time_slices > 1 else {}),
    }


def rule(pool: NodePool, facts: Facts) -> dict[str, Any]:
    """Match the pool's GPU by vendor and PCI device id."""
    match = {
        "vendor": {"op": "In", "value": ["10de"]},
        "device": {"op": "In", "value": list(pool.pci_device_ids)},
    }
    return {
        "name": f"pool {pool.name}",
        "labels": written(pool, facts),
        "matchFeatures": [{"feature": "pci.device", "matchExpressions": match}],
    }
