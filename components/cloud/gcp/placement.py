"""Where Compute Engine puts a pool's machines: a compact policy of ours, the reservation's, or none."""

import pulumi
import pulumi_gcp as gcp

from bedplate.components.cloud.gcp.section import GcpCloud
from bedplate.components.facts import Args, NodePool
from bedplate.components.facts.capacity import OnDemand, Placement, Reservation, Spot


def compact_policy(args: Args[GcpCloud], pool: NodePool, opts: pulumi.ResourceOptions) -> pulumi.Input[str] | None:
    """Name of the policy for the node pool, which waits for it if it is ours."""
    if (placement := own_placement(pool)) is None:
        return reserved_policy(pool)
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


def own_placement(pool: NodePool) -> Placement | None:
    """The policy to make: what the profile says, or a plain compact one for RDMA on demand.

    Never with a reservation: a VM takes from it only with the very policy that it was made with.
    """
    if not isinstance(pool.capacity, OnDemand | Spot):
        return None
    return pool.placement or (Placement(strategy="compact") if pool.nics else None)


def reserved_policy(pool: NodePool) -> str | None:
    """The policy that the reservation was made with."""
    match pool.capacity:
        case Reservation(placement_policy=name):
            return name
        case _:
            return None
