"""EKS nodes: for each pool that says its capacity placement group → launch template → node group, in that order.

The order is one of data: the template names the group, the node group the template's version.
"""

import pulumi

from bedplate.components.cloud.aws.eks_cluster import (
    NODE_POLICIES,
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
from bedplate.components.facts import Args


class EksNodes(Component[AwsCloud], token="bedplate:cloud:EksNodes"):
    """The pools' nodes, and the cluster if it is to be made."""

    def _declare(self, args: Args[AwsCloud], child: pulumi.ResourceOptions) -> None:
        section, pools = args.section, args.facts.own_pools
        name = cluster_name(section, args.facts)
        cluster = EksCluster(name, args, child).cluster if section.cluster.create else existing_cluster(name, self)
        owned = section.node_role or role("node", section.region, "ec2.amazonaws.com", NODE_POLICIES, child)
        groups: list[pulumi.Input[str]] = [cluster.security_group]
        if any(pool.nics for pool in pools):
            groups.append(efa_security_group(args.facts.cluster, cluster.vpc, child).id)
        for pool in pools:
            group = placement_group(args.facts.cluster, pool, child)
            template = launch_template(args, pool, group, groups, child)
            subnets = [subnet(section, cluster.vpc, zone, self) for zone in pool.zones]
            node_group(args, pool, cluster=cluster.name, role=owned, subnets=subnets, template=template, opts=child)
