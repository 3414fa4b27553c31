"""What a pool's machines are taken from, where they stand, and how many there may be: written with the pool.

A placement group of ours and a reservation made outside it exclude each other: EC2 then finds no capacity
(terraform-aws-modules/terraform-aws-eks#3730), and Compute Engine refuses a VM whose policy is not the reservation's
(Compute Engine docs, "Reservations and compact placement policies").
"""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, NonNegativeInt, PositiveInt, model_validator

from bedplate.components.section import Section

ReservationId = Annotated[str, Field(pattern=r"^cr-[0-9a-f]{8,17}$")]
QUEUED: Mapping[str, str] = {"key": "cloud.google.com/gke-queued", "value": "true", "effect": "NoSchedule"}
"""The taint that GKE gives nodes of queued provisioning (GoogleCloudPlatform/cluster-toolkit gke-node-pool)."""
ResourceName = Annotated[str, Field(pattern=r"^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$")]


class OnDemand(Section):
    """Whatever the cloud has at the moment; large GPU pools seldom find any."""

    kind: Literal["on-demand"]


class OnDemandCapacityReservation(Section):
    """AWS: an On-Demand Capacity Reservation that exists already."""

    kind: Literal["odcr"]
    id: ReservationId | None = None
    """Such as `cr-0123456789abcdef0`."""
    group: Annotated[str, Field(pattern=r"^arn:aws[a-z-]*:resource-groups:[^:]+:[0-9]{12}:group/.+$")] | None = None
    """Instead of `id`, the ARN of a resource group with several reservations of the same machine."""
    in_placement_group: str | None = None
    """The cluster placement group that it was made in; absent: none, and then the nodes have none either."""

    @model_validator(mode="after")
    def _is_one_or_a_group(self) -> Self:
        if (self.id is None) is (self.group is None):
            raise ValueError("it is one reservation or a group of them: give id or group")
        return self


class CapacityBlock(Section):
    """AWS: a Capacity Block for ML, bought for a time and co-located by AWS."""

    kind: Literal["capacity-block"]
    id: ReservationId
    """The block's reservation."""


class Reservation(Section):
    """Google Cloud: a specific reservation that exists already."""

    kind: Literal["reservation"]
    name: ResourceName
    """The reservation."""
    project: ResourceName | None = None
    """The project that shares it; absent: the cluster's own."""
    block: ResourceName | None = None
    """One block of a dense reservation, so that all nodes stand together."""
    placement_policy: ResourceName | None = None
    """The compact policy that it was made with; absent: none, and then the nodes have none either."""


class Spot(Section):
    """AWS, Google Cloud: spare machines at a lower price, which the cloud takes back within minutes or seconds."""

    kind: Literal["spot"]


class FlexStart(Section):
    """Google Cloud: machines of the Dynamic Workload Scheduler as they come free, for seven days at most.

    The pool begins empty and its autoscaler asks (GKE documentation, "About GPU obtainability with flex-start").
    """

    kind: Literal["flex-start"]
    max_run_hours: Annotated[int, Field(ge=1, le=168)] = 168
    """After so many hours a node is taken away, whatever runs on it."""
    queued: bool = False
    """Kueue asks for all machines of a job at once and starts it when they are there; else they come one by one."""


Capacity = Annotated[
    OnDemand | OnDemandCapacityReservation | CapacityBlock | Reservation | Spot | FlexStart,
    Field(discriminator="kind"),
]


class Placement(Section):
    """Where a pool's machines stand to each other; by default RDMA pools stand together and others anywhere."""

    strategy: Literal["cluster", "partition", "spread", "compact"]
    """AWS: cluster, partition or spread; Google Cloud: compact. Partition and spread are for pools without RDMA."""
    partitions: Annotated[int, Field(ge=1, le=7)] | None = None
    """Partitions of strategy partition; EC2 has at most 7 in a zone."""
    max_distance: Annotated[int, Field(ge=1, le=3)] | None = None
    """Compact: 1 the same sub-block, 2 neighbouring ones, 3 the same block (Compute Engine docs)."""
    vm_count: PositiveInt | None = None
    """Compact: exactly so many VMs, created at once; Google advises against it."""


class Autoscale(Section):
    """Bounds between which an autoscaler owns the number of nodes; `nodes` is then only where it starts."""

    min: NonNegativeInt = 0
    max: PositiveInt
