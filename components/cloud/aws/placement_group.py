"""Where EC2 puts a pool's machines: our own placement group, one that holds the reservation, or none."""

import pulumi
import pulumi_aws as aws

from bedplate.components.facts import NodePool
from bedplate.components.facts.capacity import OnDemand, OnDemandCapacityReservation, Placement, Spot


def placement_group(cluster: str, pool: NodePool, opts: pulumi.ResourceOptions) -> pulumi.Input[str] | None:
    """Name of the group for the launch template, which waits for the group if it is ours."""
    if (placement := own_placement(pool)) is None:
        return reserved_group(pool)
    group = aws.ec2.PlacementGroup(
        pool.name,
        name=f"{cluster}-{pool.name}",
        strategy=placement.strategy,
        partition_count=placement.partitions,
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(delete_before_replace=True)),
    )
    return group.name


def own_placement(pool: NodePool) -> Placement | None:
    """The group to make: what the profile says, or a cluster group for RDMA on demand.

    Never with a reservation: capacity that was not reserved in the group is not found from within it
    (terraform-aws-modules/terraform-aws-eks#3730), and a Capacity Block stands together anyway (EC2 User Guide).
    """
    if not isinstance(pool.capacity, OnDemand | Spot):
        return None
    return pool.placement or (Placement(strategy="cluster") if pool.nics else None)


def reserved_group(pool: NodePool) -> str | None:
    """The group that the reservation was made in."""
    match pool.capacity:
        case OnDemandCapacityReservation(in_placement_group=name):
            return name
        case _:
            return None
