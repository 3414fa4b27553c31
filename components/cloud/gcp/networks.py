"""Networks of the GPU interfaces: VPCs and subnets, and the objects by which GKE attaches them to pods.

TCPXO: one VPC per GPU interface. gIB: a plain VPC for the second gVNIC, and one RoCE VPC of the zone with a subnet per
NIC (GKE docs, "Maximize GPU network bandwidth" and "Create an AI-optimized GKE cluster"). The cluster's own network is
not touched.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as k8s

from bedplate.components.cloud.gcp.section import GcpCloud
from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts

TCPXO_MTU = 8244
ROCE_MTU = 8896
SECOND_GVNIC = "gvnic-1"


@dataclass(frozen=True)
class Plan:
    """One network as a pod sees it, and the VPC that it is part of."""

    name: str
    """Of the GKE Network object."""
    vpc: str
    mtu: int
    profile: str | None
    """Network profile of a RoCE VPC; None for a plain one."""
    subnet: IPv4Network

    @property
    def device_mode(self) -> str:
        """How a pod gets the interface."""
        return "RDMA" if self.profile else "NetDevice"


@dataclass(frozen=True)
class Attached:
    """One network as a node pool is told of it."""

    vpc: pulumi.Output[str]
    subnet: pulumi.Output[str]


def network_plan(section: GcpCloud, facts: Facts) -> list[Plan]:
    """Every network, in the order of the nodes' interfaces."""
    names = facts.fabric.node_networks
    subnets = section.networks.address_range.subnets(new_prefix=section.networks.subnet_prefix)
    if facts.fabric.kind == "tcpxo":
        return [Plan(name, name, TCPXO_MTU, None, cidr) for name, cidr in zip(names, subnets, strict=False)]
    zone = next(pool.zone for pool in facts.own_pools if pool.nics)
    profile = f"projects/{section.project}/global/networkProfiles/{zone}-vpc-roce"
    first = Plan(SECOND_GVNIC, SECOND_GVNIC, ROCE_MTU, None, next(subnets))
    return [first, *(Plan(name, "rdma", ROCE_MTU, profile, cidr) for name, cidr in zip(names, subnets, strict=False))]


class GpuNetworks(Component[GcpCloud], token="bedplate:cloud:GpuNetworks"):
    """Them all; their names carry the cluster's, because a project has one name space."""

    attached: list[Attached]
    """For the node pools, in the order of the interfaces."""

    def _declare(self, args: Args[GcpCloud], child: pulumi.ResourceOptions) -> None:
        planned = network_plan(args.section, args.facts)
        vpcs = {plan.vpc: _vpc(args, plan, child) for plan in {plan.vpc: plan for plan in planned}.values()}
        self.attached = [_attached(args, plan, vpcs[plan.vpc], child) for plan in planned]
        for plan, attached in zip(planned, self.attached, strict=True):
            for manifest in manifests(plan, attached):
                k8s.apiextensions.CustomResource(f"{plan.name}-{manifest['kind']}", **manifest, opts=child)


def _attached(args: Args[GcpCloud], plan: Plan, vpc: gcp.compute.Network, opts: pulumi.ResourceOptions) -> Attached:
    subnet = gcp.compute.Subnetwork(
        plan.name,
        name=f"{args.facts.cluster}-{plan.name}",
        region=args.section.region,
        network=vpc.id,
        ip_cidr_range=str(plan.subnet),
        opts=opts,
    )
    return Attached(vpc.name, subnet.name)


def _vpc(args: Args[GcpCloud], plan: Plan, opts: pulumi.ResourceOptions) -> gcp.compute.Network:
    vpc = gcp.compute.Network(
        plan.vpc,
        name=f"{args.facts.cluster}-{plan.vpc}",
        auto_create_subnetworks=False,
        mtu=plan.mtu,
        network_profile=plan.profile,
        opts=opts,
    )
    if plan.profile is None:  # a RoCE VPC lets its own through, and takes no such rules
        inside: list[Any] = [{"protocol": protocol} for protocol in ("tcp", "udp", "icmp")]
        gcp.compute.Firewall(
            plan.vpc,
            name=f"{args.facts.cluster}-{plan.vpc}",
            network=vpc.name,
            source_ranges=[str(args.section.networks.address_range)],
            allows=inside,
            opts=opts,
        )
    return vpc


def manifests(plan: Plan, attached: Attached) -> Iterator[dict[str, Any]]:
    """GKENetworkParamSet and Network (networking.gke.io/v1)."""
    group, named = "networking.gke.io", {"metadata": {"name": plan.name}, "api_version": "networking.gke.io/v1"}
    where = {"vpc": attached.vpc, "vpcSubnet": attached.subnet, "deviceMode": plan.device_mode}
    yield {**named, "kind": "GKENetworkParamSet", "spec": where}
    reference = {"group": group, "kind": "GKENetworkParamSet", "name": plan.name}
    yield {**named, "kind": "Network", "spec": {"type": "Device", "parametersRef": reference}}
