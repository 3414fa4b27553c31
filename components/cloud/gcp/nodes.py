"""GKE nodes in an existing cluster: networks of the GPU interfaces, then for each pool placement policy → node pool."""

import pulumi

from bedplate.components.cloud.gcp.networks import GpuNetworks
from bedplate.components.cloud.gcp.node_pool import node_pool
from bedplate.components.cloud.gcp.placement import compact_policy
from bedplate.components.cloud.gcp.section import GcpCloud
from bedplate.components.facts import Args


class GkeNodes(pulumi.ComponentResource):
    """The pools' nodes."""

    def __init__(self, name: str, args: Args[GcpCloud], opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("bedplate:cloud:GkeNodes", name, opts=opts)
        child = pulumi.ResourceOptions(parent=self)
        pools = args.facts.own_pools
        attached = GpuNetworks("gpu-networks", args, child).attached if any(pool.nics for pool in pools) else []
        for pool in pools:
            node_pool(args, pool, compact_policy(args, pool, child), attached, child)
        self.register_outputs({})
