"""The EKS cluster that nodes join: an existing one, looked up by name, or a new one with its roles and OIDC provider.

A new one has a stack of its own: what runs on a cluster has another lifetime than the cluster, and a provider whose
kubeconfig is not known yet can preview nothing. Its pods' own rights come by EKS Pod Identity or by the OIDC provider.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_aws as aws

from bedplate.components.cloud.aws.section import AwsCloud, NewCluster
from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts

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
    return pulumi.Output.all(made.arn, *rights).apply(lambda resolved: resolved[0])


@dataclass(frozen=True)
class Cluster:
    """What nodes must know of their cluster."""

    name: pulumi.Input[str]
    vpc: pulumi.Output[str]
    security_group: pulumi.Output[str]
    """The group that EKS gives to the control plane and to its nodes."""


def cluster_name(section: AwsCloud, facts: Facts) -> str:
    """As EKS knows it."""
    return section.cluster.name or facts.cluster


def subnet(section: AwsCloud, vpc: pulumi.Input[str], zone: str, parent: pulumi.Resource) -> pulumi.Output[str]:
    """The one subnet of a zone that carries the tags; with none or several AWS's answer says so."""
    subnet_there = aws.ec2.get_subnet_output(
        vpc_id=vpc,
        availability_zone=zone,
        tags=dict(section.subnet_tags),
        opts=pulumi.InvokeOutputOptions(parent=parent),
    )
    return subnet_there.id


def existing_cluster(name: str, parent: pulumi.Resource) -> Cluster:
    """A cluster that somebody else made."""
    cluster = aws.eks.get_cluster_output(name=name, opts=pulumi.InvokeOutputOptions(parent=parent))
    network = cluster.vpc_config
    return Cluster(
        name, network.apply(lambda vpc: vpc.vpc_id), network.apply(lambda vpc: vpc.cluster_security_group_id)
    )


class EksCluster(Component[AwsCloud], token="bedplate:cloud:EksCluster"):
    """Control plane, its role, administrators, and an identity provider for its service accounts."""

    cluster: Cluster
    """For the node groups."""

    def _declare(self, args: Args[AwsCloud], child: pulumi.ResourceOptions) -> dict[str, Any]:
        name, new = self.pulumi_resource_name, args.section.cluster.create
        assert new is not None  # noqa: S101 - its presence is what asks for this component
        made = aws.eks.Cluster(
            name,
            name=name,
            version=args.facts.kubernetes_version,
            role_arn=role(f"{name}-cluster", args.section.region, "eks.amazonaws.com", CLUSTER_POLICIES, child),
            vpc_config=vpc_config(args.section, new, self),
            access_config={"authentication_mode": "API", "bootstrap_cluster_creator_admin_permissions": True},
            enabled_cluster_log_types=["api", "audit", "authenticator"],
            opts=pulumi.ResourceOptions(parent=self, protect=True),
        )
        identity_provider(made, child)
        for admin in new.admins:
            administrator(made.name, admin, child)
        network = made.vpc_config
        self.cluster = Cluster(made.name, pulumi.Output.from_input(new.vpc), network.cluster_security_group_id)
        return {"name": made.name, "endpoint": made.endpoint}


def vpc_config(section: AwsCloud, new: NewCluster, parent: pulumi.Resource) -> Any:  # noqa: ANN401 - the SDK's typed dict
    """Private to the VPC, and open to the named addresses only."""
    public = [str(cidr) for cidr in new.public_access]
    return {
        "subnet_ids": [subnet(section, new.vpc, zone, parent) for zone in new.zones],
        "endpoint_private_access": True,
        "endpoint_public_access": bool(public),
        **({"public_access_cidrs": public} if public else {}),
    }


def identity_provider(cluster: aws.eks.Cluster, opts: pulumi.ResourceOptions) -> None:
    """Lets IAM roles trust service accounts of this cluster (IRSA)."""
    issuer = cluster.identities.apply(issuer_of)
    aws.iam.OpenIdConnectProvider("oidc", url=issuer, client_id_lists=["sts.amazonaws.com"], opts=opts)


def issuer_of(identities: Sequence[aws.eks.outputs.ClusterIdentity]) -> str:
    """The one issuer that EKS gives to a cluster."""
    (issuer,) = (oidc.issuer for identity in identities for oidc in identity.oidcs or () if oidc.issuer)
    return issuer


def administrator(cluster: pulumi.Input[str], principal: str, opts: pulumi.ResourceOptions) -> None:
    """One more principal who may do everything in the cluster."""
    name = principal.rsplit("/", 1)[-1]
    entry = aws.eks.AccessEntry(name, cluster_name=cluster, principal_arn=principal, opts=opts)
    partition = principal.split(":")[1]
    aws.eks.AccessPolicyAssociation(
        name,
        cluster_name=cluster,
        principal_arn=entry.principal_arn,
        policy_arn=f"arn:{partition}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
        access_scope={"type": "cluster"},
        opts=opts,
    )
