"""A pool as an EKS managed node group, in one subnet, with everything an autoscaler must know of an empty pool."""

from collections.abc import Sequence
from typing import Any

import pulumi
import pulumi_aws as aws

from bedplate.components.cloud.aws.section import AwsCloud
from bedplate.components.cloud.node_labels import node_labels, node_taints
from bedplate.components.facts import Args, Facts, NodePool
from bedplate.components.facts.capacity import CapacityBlock, OnDemandCapacityReservation, Spot

TEMPLATE = "k8s.io/cluster-autoscaler/node-template"
IMAGES = {
    # node image and architecture: with NVIDIA's driver and without (EKS API reference, Nodegroup.amiType)
    ("al2023-nvidia", "amd64"): ("AL2023_x86_64_NVIDIA", "AL2023_x86_64_STANDARD"),
    ("al2023-nvidia", "arm64"): ("AL2023_ARM_64_NVIDIA", "AL2023_ARM_64_STANDARD"),
    ("bottlerocket-nvidia", "amd64"): ("BOTTLEROCKET_x86_64_NVIDIA", "BOTTLEROCKET_x86_64"),
    ("bottlerocket-nvidia", "arm64"): ("BOTTLEROCKET_ARM_64_NVIDIA", "BOTTLEROCKET_ARM_64"),
}


def node_group(  # noqa: PLR0913 - what a node group joins
    args: Args[AwsCloud],
    pool: NodePool,
    *,
    cluster: pulumi.Input[str],
    role: pulumi.Input[str],
    subnets: Sequence[pulumi.Input[str]],
    template: aws.ec2.LaunchTemplate,
    opts: pulumi.ResourceOptions,
) -> aws.eks.NodeGroup:
    """Declare it; its name is the pool's, because the platform selects nodes by EKS's label with that name."""
    fewest, most = pool.bounds
    ours = pulumi.ResourceOptions(
        delete_before_replace=True, ignore_changes=["scalingConfig.desiredSize"] if pool.autoscale else []
    )
    return aws.eks.NodeGroup(
        pool.name,
        node_group_name=pool.name,
        cluster_name=cluster,
        node_role_arn=role,
        subnet_ids=subnets,
        version=args.facts.kubernetes_version,
        ami_type=ami_type(args.facts, pool),
        release_version=args.section.ami_release if pool.gpus else None,
        update_config=update_config(pool),
        node_repair_config=repair(args, pool),
        capacity_type=capacity_type(pool),
        launch_template={"id": template.id, "version": template.latest_version.apply(str)},
        scaling_config={"desired_size": pool.nodes, "min_size": fewest, "max_size": max(most, 1)},
        labels=node_labels(pool),
        taints=node_taints(pool),
        tags=scale_from_zero_tags(args.facts, pool) if pool.autoscale else None,
        opts=pulumi.ResourceOptions.merge(opts, ours),
    )


def repair(args: Args[AwsCloud], pool: NodePool) -> Any:  # noqa: ANN401 - the SDK's typed dict
    """EKS counts percentages of a group's size, and says of no group how it rounds those of small ones.

    So a group of fixed size has a count (EKS API reference, NodeRepairConfig).
    """
    health = args.facts.health
    if health is None or not health.repairs:
        return {"enabled": True} if args.section.node_repair else None
    most = (
        {"max_unhealthy_node_threshold_percentage": health.percent}
        if pool.autoscale
        else {"max_unhealthy_node_threshold_count": health.most_unhealthy(pool.nodes)}
    )
    return {"enabled": True, "max_parallel_nodes_repaired_count": health.at_once, **most}


def capacity_type(pool: NodePool) -> str:
    """How EKS asks EC2 for the machines (EKS API reference, Nodegroup.capacityType)."""
    match pool.capacity:
        case CapacityBlock():
            return "CAPACITY_BLOCK"
        case Spot():
            return "SPOT"
        case _:
            return "ON_DEMAND"


def update_config(pool: NodePool) -> Any:  # noqa: ANN401 - the SDK's typed dict
    """Reserved machines leave none to start first, so that the default strategy would wait for ever.

    MINIMAL takes old nodes away before new ones come (EKS API reference, NodegroupUpdateConfig).
    """
    reserved = isinstance(pool.capacity, CapacityBlock | OnDemandCapacityReservation)
    return {"max_unavailable": 1, "update_strategy": "MINIMAL"} if reserved else None


def ami_type(facts: Facts, pool: NodePool) -> str:
    """EKS's name of the node image."""
    with_driver, plain = IMAGES[facts.node_os, pool.arch]
    return with_driver if pool.gpus else plain


def scale_from_zero_tags(facts: Facts, pool: NodePool) -> dict[str, str]:
    """What a node of an empty pool would have: the cluster autoscaler reads a managed group's tags (its AWS README).

    Huge pages are among them: of all but the machine's processors, memory and GPUs it knows what a tag says
    (kubernetes/autoscaler cloudprovider/aws/aws_manager.go, buildNodeFromTemplate).
    """
    pages = {"hugepages-2Mi": f"{facts.fabric.pages_for_pods}Mi"} if pool.nics and facts.fabric.hugepages else {}
    return {
        **{f"{TEMPLATE}/label/{key}": value for key, value in {**pool.selector, **node_labels(pool)}.items()},
        **{f"{TEMPLATE}/taint/{t['key']}": f"{t['value']}:{t['effect']}" for t in pool.taints},
        **{f"{TEMPLATE}/resources/{name}": str(n) for name, n in (pool.extended_resources | pages).items()},
    }


def efa_security_group(cluster: str, vpc: pulumi.Input[str], opts: pulumi.ResourceOptions) -> aws.ec2.SecurityGroup:
    """One group for all EFA nodes of a cluster, besides the cluster's own.

    An open egress to 0.0.0.0/0 does not do: EFA wants the group itself as the destination (EC2 User Guide, "Prepare an
    EFA-enabled security group").
    """
    rule: list[Any] = [{"protocol": "-1", "from_port": 0, "to_port": 0, "self": True, "description": "EFA"}]
    return aws.ec2.SecurityGroup(
        "efa",
        name=f"{cluster}-efa",
        description="EFA traffic between the nodes of one cluster",
        vpc_id=vpc,
        ingress=rule,
        egress=rule,
        opts=opts,
    )
