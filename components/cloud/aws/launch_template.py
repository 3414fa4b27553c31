"""A pool's launch template: type, interfaces, disk, metadata service, placement group and reservation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_aws as aws

from bedplate.components.cloud.aws.section import AwsCloud
from bedplate.components.cloud.aws.user_data import user_data
from bedplate.components.cloud.node_labels import own_placement
from bedplate.components.facts import Args, NodePool
from bedplate.components.facts.capacity import CapacityBlock, OnDemandCapacityReservation

CPU_DISK_GIB = 100
DISK_MIBS, DISK_IOPS = 500, 4000
"""Of a GPU node's gp3 root disk: at the default of 125 MiB/s an image of 20 GB takes three minutes to unpack."""
NODE_HOPS = 1
"""Answers of the metadata service reach the node and pods on its network, and no pod beyond it: those would have the
node's role (EKS Best Practices, "Restrict access to the instance profile assigned to the worker node").

Nothing that we run asks from further away. The VPC CNI, the Pod Identity agent and the EFA plugin are on the node's
network (aws/eks-charts, stable/aws-efa-k8s-device-plugin). The FSx driver has a role of its own (`roleArn`, or Pod
Identity) and asks Kubernetes where it runs (kubernetes-sigs/aws-fsx-csi-driver, pkg/cloud/metadata.go), as the EBS
driver does. What a site installs besides must be told its region and VPC: docs/cloud-aws.md.
"""


def launch_template(
    args: Args[AwsCloud],
    pool: NodePool,
    group: pulumi.Input[str] | None,
    security_groups: Sequence[pulumi.Input[str]],
    opts: pulumi.ResourceOptions,
) -> aws.ec2.LaunchTemplate:
    """Declare it. Security groups stand on the interfaces: a template takes them there or at its top, not both."""
    name = f"{args.facts.cluster}-{pool.name}"
    return aws.ec2.LaunchTemplate(
        pool.name,
        name=name,
        instance_type=pool.instance_type,
        network_interfaces=network_interfaces(pool, security_groups),
        block_device_mappings=block_devices(args, pool),
        metadata_options={
            "http_tokens": "required",
            "http_endpoint": "enabled",
            "http_put_response_hop_limit": NODE_HOPS,
        },
        placement={"group_name": group} if group else None,
        user_data=user_data(args.section, args.facts, pool),
        tag_specifications=[{"resource_type": kind, "tags": {"Name": name}} for kind in ("instance", "volume")],
        update_default_version=True,
        opts=opts,
        **reservation(pool),
    )


def network_interfaces(pool: NodePool, security_groups: Sequence[pulumi.Input[str]]) -> list[Any]:
    """The shape's EFAs; none for other pools, which get the cluster's interface and group from EKS."""
    return [
        {
            "network_card_index": interface.card,
            "device_index": interface.device,
            **({"interface_type": interface.type} if interface.type else {}),
            "security_groups": list(security_groups),
            "delete_on_termination": "true",
        }
        for interface in interfaces(pool)
    ]


def block_devices(args: Args[AwsCloud], pool: NodePool) -> list[Any]:
    """Disks under the names that the image knows: Bottlerocket keeps its data, and so all images, on the second."""
    size = args.section.disk_gib if pool.gpus else CPU_DISK_GIB
    device = "/dev/xvdb" if args.facts.node_os == "bottlerocket-nvidia" else "/dev/xvda"
    speed = {"throughput": DISK_MIBS, "iops": DISK_IOPS} if pool.gpus else {}
    ebs = {"volume_size": size, "volume_type": "gp3", "encrypted": "true", "delete_on_termination": "true", **speed}
    return [{"device_name": device, "ebs": ebs}]


def reservation(pool: NodePool) -> dict[str, Any]:
    """How the machines are bought, where it is not on demand."""
    match pool.capacity:
        case CapacityBlock(id=block):
            return {"instance_market_options": {"market_type": "capacity-block"}, **_target(id=block)}
        case OnDemandCapacityReservation(group=str(group)):
            return _target(resource_group_arn=group)
        case OnDemandCapacityReservation(id=str(reserved)):
            return _target(id=reserved)
        case _:
            return {}


def _target(**reserved: str) -> dict[str, Any]:
    target = {f"capacity_reservation_{name}": value for name, value in reserved.items()}
    return {"capacity_reservation_specification": {"capacity_reservation_target": target}}


@dataclass(frozen=True)
class Interface:
    """One interface of a launch template."""

    card: int
    device: int
    type: str | None
    """`efa` with IP, `efa-only` without; None: a plain ENA."""


def interfaces(pool: NodePool) -> list[Interface]:
    """As many EFAs as the shape has.

    Elsewhere card 0 carries one; on p6-b300 and p6e-gb200 it is a plain ENA (`ena_card`). The cards of EFA there take
    one interface, so it is at device 0.
    """
    if not pool.nics:
        return []
    if pool.ena_card:
        cards = range(1, 1 + pool.nics * pool.efa_card_step, pool.efa_card_step)
        return [Interface(0, 0, None), *(Interface(card, 0, "efa-only") for card in cards)]
    return [Interface(0, 0, "efa"), *(Interface(card, 1, "efa-only") for card in range(1, pool.nics))]


def placement_group(cluster: str, pool: NodePool, opts: pulumi.ResourceOptions) -> pulumi.Input[str] | None:
    """Name of the group for the launch template, which waits for the group if it is ours."""
    if (placement := own_placement(pool, "cluster")) is None:
        return reserved_group(pool)
    group = aws.ec2.PlacementGroup(
        pool.name,
        name=f"{cluster}-{pool.name}",
        strategy=placement.strategy,
        partition_count=placement.partitions,
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(delete_before_replace=True)),
    )
    return group.name


def reserved_group(pool: NodePool) -> str | None:
    """The group that the reservation was made in."""
    return pool.capacity.in_placement_group if isinstance(pool.capacity, OnDemandCapacityReservation) else None
