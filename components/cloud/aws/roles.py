"""IAM roles of an EKS cluster and of its nodes, with AWS's own managed policies and nothing else."""

import json

import pulumi
import pulumi_aws as aws

CLUSTER_POLICIES = ("AmazonEKSClusterPolicy",)
NODE_POLICIES = ("AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy", "AmazonEC2ContainerRegistryPullOnly")
PARTITIONS = {"cn-": "aws-cn", "us-gov-": "aws-us-gov"}


def role(
    name: str, region: str, service: str, policies: tuple[str, ...], opts: pulumi.ResourceOptions
) -> pulumi.Output[str]:
    """ARN of a role that a service of AWS takes on, once it has its rights.

    IAM's name for it is generated, because names are global to the account.
    """
    trust = {"Effect": "Allow", "Principal": {"Service": service}, "Action": ["sts:AssumeRole", "sts:TagSession"]}
    document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    made = aws.iam.Role(name, assume_role_policy=document, opts=opts)
    partition = next((of for prefix, of in PARTITIONS.items() if region.startswith(prefix)), "aws")
    rights = [
        aws.iam.RolePolicyAttachment(
            f"{name}-{policy}", role=made.name, policy_arn=f"arn:{partition}:iam::aws:policy/{policy}", opts=opts
        ).id
        for policy in policies
    ]
    return pulumi.Output.all(made.arn, *rights).apply(lambda known: known[0])
