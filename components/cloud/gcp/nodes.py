"""GKE nodes in an existing cluster: networks of the GPU interfaces, then for each pool placement policy → node pool."""

import pulumi
import pulumi_gcp as gcp

from bedplate.components.cloud.gcp.networks import GpuNetworks
from bedplate.components.cloud.gcp.node_pool import node_pool
from bedplate.components.cloud.gcp.section import GcpCloud
from bedplate.components.cloud.node_labels import own_placement
from bedplate.components.component import Component
from bedplate.components.facts import Args, NodePool
from bedplate.components.facts.capacity import Reservation


class GkeNodes(Component[GcpCloud], token="bedplate:cloud:GkeNodes"):
    """The pools' nodes."""

    def _declare(self, args: Args[GcpCloud], child: pulumi.ResourceOptions) -> None:
        pools = args.facts.own_pools
        attached = GpuNetworks("gpu-networks", args, child).attached if any(pool.nics for pool in pools) else []
        for pool in pools:
            node_pool(args, pool, compact_policy(args, pool, child), attached, child)


def compact_policy(args: Args[GcpCloud], pool: NodePool, opts: pulumi.ResourceOptions) -> pulumi.Input[str] | None:
    """Name of the policy for the node pool, which waits for it if it is ours."""
    if (placement := own_placement(pool, "compact")) is None:
        return pool.capacity.placement_policy if isinstance(pool.capacity, Reservation) else None
    policy = gcp.compute.ResourcePolicy(
        pool.name,
        name=f"{args.facts.cluster}-{pool.name}",
        region=args.section.region,
        group_placement_policy={
            "collocation": "COLLOCATED",
            "max_distance": placement.max_distance,
            "vm_count": placement.vm_count,
        },
        opts=opts,
    )
    return policy.name
