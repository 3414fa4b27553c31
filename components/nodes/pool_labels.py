"""Labels that tell a pool's nodes how to cut up their GPUs: written by NFD from the GPU's PCI id, not by hand.

Hand-set labels drift and are missing on a replaced node. Clouds label nodes from their node group instead, so there
this component is absent (`stacks/platform.py`).
"""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from components.facts import Args, NodePool
from components.nodes.feature_discovery import NodeFeatureDiscoverySection


class PoolLabels(pulumi.ComponentResource):
    """One NodeFeatureRule with a rule for each pool that slices its GPUs."""

    def __init__(
        self, name: str, args: Args[NodeFeatureDiscoverySection], opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("bedplate:nodes:PoolLabels", name, opts=opts)
        k8s.apiextensions.CustomResource(
            name,
            api_version="nfd.k8s-sigs.io/v1alpha1",
            kind="NodeFeatureRule",
            metadata={"name": f"bedplate-{name}"},
            spec={"rules": [rule(pool) for pool in args.facts.gpu_pools if slicing_labels(pool)]},
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.register_outputs({})


def slicing_labels(pool: NodePool) -> dict[str, str]:
    """Node labels by which the MIG manager and the device plugin pick the pool's entry of their ConfigMaps."""
    return {
        **({"nvidia.com/mig.config": pool.name} if pool.mig else {}),
        **({"nvidia.com/device-plugin.config": pool.name} if pool.time_slices > 1 else {}),
    }


def rule(pool: NodePool) -> dict[str, Any]:
    """Match the pool's GPU by vendor and PCI device id."""
    match = {
        "vendor": {"op": "In", "value": ["10de"]},
        "device": {"op": "In", "value": list(pool.pci_device_ids)},
    }
    return {
        "name": f"pool {pool.name}",
        "labels": slicing_labels(pool),
        "matchFeatures": [{"feature": "pci.device", "matchExpressions": match}],
    }
