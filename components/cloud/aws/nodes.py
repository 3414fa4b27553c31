"""EKS nodes: for each pool that says its capacity placement group → launch template → node group, in that order.

The order is one of data: the template names the group, the node group the template's version.
"""

import pulumi

from bedplate.components.cloud.aws.eks_cluster import (
    NODE_POLICIES,
    Cluster,
    EksCluster,
    cluster_name,
    existing_cluster,
    role,
    subnet,
)
from bedplate.components.cloud.aws.launch_template import launch_template, placement_group
from bedplate.components.cloud.aws.node_group import efa_security_group, node_group
from bedplate.components.cloud.aws.section import AwsCloud
from bedplate.components.component import Component
from bedplate.components.facts import Args, NodePool


class EksNodes(Component[AwsCloud], token="bedplate:cloud:EksNodes"):
    """The pools' nodes, and the cluster if it is to be made."""

    def _declare(self, args: Args[AwsCloud], child: pulumi.ResourceOptions) -> None:
        self._args = args
        self._child = child
        self._cluster = self._join()
        section, pools = args.section, args.facts.own_pools
        self._role = section.node_role or role("node", section.region, "ec2.amazonaws.com", NODE_POLICIES, self._child)
        self._groups: list[pulumi.Input[str]] = [self._cluster.security_group]
        if any(pool.nics for pool in pools):
            own = efa_security_group(args.facts.cluster, self._cluster.vpc, self._child)
            self._groups.append(own.id)
        for pool in pools:
            self._pool(pool)

    def _join(self) -> Cluster:
        name = cluster_name(self._args.section, self._args.facts)
        if self._args.section.cluster.create is None:
            return existing_cluster(name, self)
        return EksCluster(name, self._args, self._child).cluster

    def _pool(self, pool: NodePool) -> None:
        args, opts, vpc = self._args, self._child, self._cluster.vpc
        group = placement_group(args.facts.cluster, pool, opts)
        template = launch_template(args, pool, group, self._groups, opts)
        node_group(
            args,
            pool,
            cluster=self._cluster.name,
            role=self._role,
            subnets=[subnet(args.section, vpc, zone, self) for zone in pool.zones],
            template=template,
            opts=opts,
        )
