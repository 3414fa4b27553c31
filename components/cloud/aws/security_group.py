"""Lets EFA nodes talk to each other: RDMA passes no other rule than "everything, from and to this very group"."""

from typing import Any

import pulumi
import pulumi_aws as aws


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
