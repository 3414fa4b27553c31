"""Addresses of secondary networks: unique, managed, enough."""

from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import TypeAlias

from bedplate.components.platforms import PLATFORMS
from bedplate.policies.resources.attachments import KINDS, RDMA_PLUGINS, Attachment, attachments
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import Pod
from bedplate.policies.resources.pools import apart
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import UNKNOWN, dig, integer, text, whole

Network: TypeAlias = IPv4Network | IPv6Network
Range: TypeAlias = tuple[Resource, Network]
WHEREABOUTS = ("whereabouts", "whereabouts-chart")
RESERVED = 2
"""Network and broadcast address of a range."""


@rule("NET-207", ADVISORY, also=MANDATORY, on=Stack)
def no_host_local(stack: Stack) -> Complaints:
    """host-local counts on one node only; a subnet templated per node (`{{`) is left alone."""
    for each in attachments(stack.of(*KINDS)):
        for plugin, ipam in ((plugin, plugin.get("ipam")) for plugin in each.plugins):
            kind = text(plugin.get("type"))
            if kind in RDMA_PLUGINS and dig(ipam, "type") == "host-local" and "{{" not in str(ipam):
                what = f"{kind} takes its addresses from host-local"
                if _spans(stack, each):
                    yield Complaint(what, severity=MANDATORY, about=each.resource)
                else:
                    yield Complaint(f"{what}; right only where one node has this network", about=each.resource)


def _spans(stack: Stack, network: Attachment) -> bool:
    """Whether pods that surely take more than one node are attached to a network."""
    here = (network.namespace, network.name)
    return any(
        here in {(each.namespace, each.name) for each in pod.networks}
        and apart(pod, _count(workload, pod), stack.facts)
        for workload in stack.workloads
        for pod in workload.pods
    )


def _count(workload: Workload, pod: Pod) -> object:
    return workload.nodes if workload.multi_node else pod.replicas


@rule("NET-208", MANDATORY, also=ADVISORY, on=Stack)
def ipam_installed(stack: Stack) -> Complaints:
    """Whereabouts is a chart of its own; nv-ipam is part of the NicClusterPolicy and serves declared pools."""
    policies = stack.of("NicClusterPolicy")
    nv_ipam = any("nvIpam" in policy.spec or not whole(policy.at("spec")) for policy in policies)
    pools = stack.of("IPPool", "CIDRPool", group="nv-ipam.nvidia.com")
    named = {pool.object_name for pool in pools}
    sure = all(whole(pool.at("metadata")) for pool in pools)
    for each in attachments(stack.of(*KINDS)):
        for ipam in each.ipams:
            kind, pool = ipam.get("type"), text(ipam.get("poolName"))
            if kind == "whereabouts" and stack.lacks(*WHEREABOUTS) and not _whereabouts(stack):
                yield Complaint("takes addresses from whereabouts, which nothing installs", about=each.resource)
            if kind == "nv-ipam" and (stack.complete or policies) and not nv_ipam:
                what = "takes addresses from nv-ipam, which nothing installs"
                yield Complaint(what, severity=stack.elsewhere, about=each.resource)
            if kind == "nv-ipam" and (stack.complete or pools) and sure and pool and pool not in named:
                what = f"names the pool {pool}, which does not exist"
                yield Complaint(what, severity=stack.elsewhere, about=each.resource)


def _whereabouts(stack: Stack) -> bool:
    names = [resource.at("metadata", "name") for resource in stack.of("DaemonSet")]
    made = any(name is UNKNOWN or "whereabouts" in text(name) for name in names)
    platform = PLATFORMS.get(stack.facts.platform or "")
    there = "whereabouts" in stack.facts.site_runs or (platform and platform.own_operators)
    return bool(made or stack.installs("whereabouts") or there)


def _network(value: object) -> Network | None:
    try:
        return ip_network(text(value), strict=False)
    except ValueError:
        return None


def _ranges(stack: Stack) -> Iterator[Range]:
    for pool in stack.of("IPPool", group="nv-ipam.nvidia.com"):
        if network := _network(pool.spec.get("subnet")):
            yield pool, network
    seen: set[Network] = set()
    for each in attachments(stack.of(*KINDS)):
        for ipam in each.ipams:
            network = _network(ipam.get("range"))
            if ipam.get("type") == "whereabouts" and network and network not in seen:
                seen.add(network)
                yield each.resource, network


def _last(network: Network) -> int:
    return int(network.broadcast_address)


def _overlaps(ranges: list[Range]) -> Iterator[tuple[Range, Range]]:
    """Each range that begins within an earlier one, by one pass in the order of addresses."""
    widest: Range | None = None
    for each in sorted(ranges, key=lambda each: (each[1].version, int(each[1].network_address))):
        if widest is None or widest[1].version != each[1].version:
            widest = each
            continue
        if widest[1].overlaps(each[1]):
            yield widest, each
        if _last(each[1]) > _last(widest[1]):
            widest = each


@rule("NET-209", MANDATORY, also=ADVISORY, on=Stack)
def room_for_addresses(stack: Stack) -> Complaints:
    """Every node of the fabric gets a block of each pool; ranges overlap neither each other nor the cluster's own."""
    nodes = sum(pool.nodes or 0 for pool in stack.facts.gpu_pools if pool.nics_per_node != 0)
    for pool in stack.of("IPPool", group="nv-ipam.nvidia.com"):
        network, block = _network(pool.spec.get("subnet")), integer(pool.spec.get("perNodeBlockSize"))
        if network and block and nodes and (network.num_addresses - RESERVED) // block < nodes:
            room = (network.num_addresses - RESERVED) // block
            what = f"{network} in blocks of {block} serves {room} nodes, the cluster has {nodes}"
            yield Complaint(what, about=pool)
    ranges = list(_ranges(stack))
    for (first, one), (second, other) in _overlaps(ranges):
        yield Complaint(f"{other} overlaps {one} of another network", about=second, beside=first)
    for resource, network in ranges:
        if resource.kind != "IPPool" and nodes and network.num_addresses - RESERVED < nodes:
            yield Complaint(f"{network} has fewer addresses than the cluster's {nodes} nodes", about=resource)
        for taken in filter(None, map(_network, (*stack.facts.pod_cidrs, *stack.facts.service_cidrs))):
            if taken.version == network.version and taken.overlaps(network):
                yield Complaint(f"{network} overlaps {taken} of pods or services", about=resource)
