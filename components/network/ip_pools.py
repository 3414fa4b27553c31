"""nv-ipam pools: one per rail, cut into equal blocks, one block a node. Only for `ipam: nv-ipam`."""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from components.facts import Args, Facts, NodePool
from components.operators.network_operator import CHART
from components.section import Section


class IpPools(pulumi.ComponentResource):
    """Addresses of the rails."""

    def __init__(self, name: str, args: Args[Section], opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("bedplate:network:IpPools", name, opts=opts)
        for pool in ip_pools(args.facts):
            k8s.apiextensions.CustomResource(
                f"{pool['metadata']['name']}-pool", **pool, opts=pulumi.ResourceOptions(parent=self)
            )
        self.register_outputs({})


def ip_pools(facts: Facts) -> list[dict[str, Any]]:
    """An IPPool per rail, in the operator's namespace, where nv-ipam looks for it."""
    return [
        {
            "api_version": "nv-ipam.nvidia.com/v1alpha1",
            "kind": "IPPool",
            "metadata": {"name": rail.name, "namespace": CHART.namespace},
            "spec": {
                "subnet": str(rail.subnet),
                "perNodeBlockSize": facts.fabric.block_size,
                "nodeSelector": {"nodeSelectorTerms": [_term(pool) for pool in facts.fabric_pools]},
            },
        }
        for rail in facts.fabric.rails
        if rail.subnet
    ]


def _term(pool: NodePool) -> dict[str, Any]:
    """Only nodes of the fabric take a block; without a selector the system's nodes would use up addresses too."""
    return {
        "matchExpressions": [{"key": key, "operator": "In", "values": [value]} for key, value in pool.selector.items()]
    }
