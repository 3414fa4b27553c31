"""Rules about where machines stand and what they are taken from: one thing holds a pool, and nothing pulls at it."""

from collections.abc import Iterator
from itertools import chain

from bedplate.components.cloud.aws.section import AwsCloud
from bedplate.components.cloud.gcp.section import GcpCloud
from bedplate.components.facts.capacity import OnDemand, Spot
from bedplate.components.storage.section import HostPathCache
from bedplate.stacks.checks.cloud import EKS_IMAGES, ultraserver
from bedplate.stacks.facts.fabric import interfaces
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.problem import Problem, keyed
from bedplate.stacks.profile.profile import Profile

LOCAL_DISKS = "/mnt/k8s-disks"
"""Where nodeadm mounts the instance store, if it is told to (awslabs/amazon-eks-ami, local_disk.go)."""
STRATEGIES = {"aws": ("cluster", "partition", "spread"), "gcp": ("compact",)}
FIELDS_OF = {"partitions": ("partition",), "max_distance": ("compact",), "vm_count": ("compact",)}


def check_placement(profile: Profile) -> Iterator[Problem]:
    """Every fault of a pool's placement, and of what a cloud wants besides."""
    section = profile.cloud
    if not isinstance(section, AwsCloud | GcpCloud):
        return
    for key, pool in keyed("pools", profile.pools):
        if pool.placement:
            yield from _placement(profile, section.kind, f"{key}.placement", pool)
    if isinstance(section, AwsCloud):
        yield from chain(_eks_image(profile), _new_cluster(profile, section))
    else:
        yield from chain(_even_pools(profile), _gpu_networks(profile, section))


def _placement(profile: Profile, cloud: str, key: str, pool: Pool) -> Iterator[Problem]:
    placement = pool.placement
    if placement is None:
        return
    strategy = placement.strategy
    if strategy not in STRATEGIES[cloud]:
        fix = f"use {', '.join(STRATEGIES[cloud])}"
        yield Problem(f"{key}.strategy", strategy, f"{cloud} has no such placement", fix)
    if pool.capacity and not isinstance(pool.capacity, OnDemand | Spot):
        inside = "inPlacementGroup" if cloud == "aws" else "placementPolicy"
        reason = f"the pool takes from a {pool.capacity.kind}, which holds machines outside a new placement"
        fix = f"remove placement; name the one that the reservation was made in as capacity.{inside}"
        yield Problem(key, strategy, reason, fix)
    if strategy in ("partition", "spread") and interfaces(profile, pool):
        reason = f"{profile.fabric.kind} needs the machines close together"
        yield Problem(f"{key}.strategy", strategy, reason, "remove placement, or use cluster")
    if strategy in ("cluster", "compact") and len(pool.in_zones) > 1:
        reason = f"machines in {' and '.join(pool.in_zones)} cannot stand together"
        yield Problem(f"{key}.strategy", strategy, reason, "use one zone, and another pool for the other")
    for name, strategies in FIELDS_OF.items():
        if getattr(placement, name) is not None and strategy not in strategies:
            yield Problem(f"{key}.{name}", getattr(placement, name), f"strategy {strategy} has none", "remove it")


def _eks_image(profile: Profile) -> Iterator[Problem]:
    """Managed node groups run AWS's images; others bring their own bootstrap."""
    if profile.own_cloud and profile.node_os not in EKS_IMAGES:
        reason = "managed node groups have no such image"
        fix = f"use {' or '.join(EKS_IMAGES)}; or make the pools elsewhere and remove capacity"
        yield Problem("nodeOs", profile.node_os, reason, fix)
    racks = [str(pool.machine) for pool in profile.pools if ultraserver(str(pool.machine))]
    if racks and profile.node_os == "bottlerocket-nvidia":
        reason = f"AWS supports {racks[0]} with AL2023 for Arm alone"
        yield Problem("nodeOs", profile.node_os, reason, "use al2023-nvidia")
    section = profile.cloud
    if isinstance(section, AwsCloud) and section.local_disks and profile.node_os != "al2023-nvidia":
        reason = f"only nodeadm of AL2023 knows it, and nodeOs is {profile.node_os}"
        yield Problem("cloud.localDisks", section.local_disks, reason, "remove it")
    if isinstance(section, AwsCloud) and profile.own_cloud and not section.local_disks:
        yield from _unmounted(profile)


def _unmounted(profile: Profile) -> Iterator[Problem]:
    """A cache on disks of the node that its image is not told to mount."""
    cache = profile.storage.cache if profile.storage else None
    if isinstance(cache, HostPathCache) and cache.host_path.startswith(LOCAL_DISKS):
        reason = "nothing mounts the nodes' own disks there, so it would be a folder of the root disk"
        fix = "add `localDisks: raid0` to cloud (AL2023), or name another directory"
        yield Problem("storage.cache.hostPath", cache.host_path, reason, fix)


def _new_cluster(profile: Profile, section: AwsCloud) -> Iterator[Problem]:
    """A stack that makes a cluster deploys nothing on it, and its zones are the region's."""
    new = section.cluster.create
    if new is None:
        return
    for zone in new.zones:
        if zone[:-1] != section.region:
            yield Problem("cloud.cluster.create.zones", zone, f"not a zone of {section.region}", "correct it")
    for name, field in type(profile).model_fields.items():
        if field.default is None and name not in ("cloud", "charts") and getattr(profile, name) is not None:
            reason = "this stack makes the cluster, and what runs on it has another lifetime"
            fix = "move it to a stack of its own that names the cluster (docs/cloud-aws.md)"
            yield Problem(field.alias or name, "present", reason, fix)


def _even_pools(profile: Profile) -> Iterator[Problem]:
    """GKE counts nodes per zone."""
    for key, pool in keyed("pools", profile.pools):
        zones = len(pool.in_zones)
        if pool.capacity and zones and pool.nodes % zones:
            reason = f"GKE gives every one of the {zones} zones as many"
            yield Problem(f"{key}.nodes", pool.nodes, reason, f"use a multiple of {zones}")


def _gpu_networks(profile: Profile, section: GcpCloud) -> Iterator[Problem]:
    """Subnets enough, addresses enough in each, and one RoCE zone."""
    pools = [p for p in profile.pools if p.capacity and interfaces(profile, p)]
    if not pools or profile.fabric.kind not in ("tcpxo", "gib"):
        return
    space, prefix, key = section.networks.address_range, section.networks.subnet_prefix, "cloud.networks"
    wanted = max((p.hardware.nics or 0) for p in pools if p.hardware) + (profile.fabric.kind == "gib")
    if prefix < space.prefixlen or 2 ** (prefix - space.prefixlen) < wanted:
        reason = f"it does not hold {wanted} subnets of /{prefix}"
        yield Problem(f"{key}.addressRange", space, reason, "use a larger range or a longer subnetPrefix")
    nodes = sum(p.most for p in pools)
    if 2 ** (32 - prefix) - 4 < nodes:
        yield Problem(f"{key}.subnetPrefix", prefix, f"too few addresses for {nodes} nodes", "use a shorter one")
    for name, cidr in (
        ("podCidr", profile.cluster_network.pod_cidr),
        ("serviceCidr", profile.cluster_network.service_cidr),
    ):
        if cidr and cidr.overlaps(space):
            yield Problem(f"{key}.addressRange", space, f"overlaps clusterNetwork.{name} {cidr}", "use another range")
    zones = {zone for pool in pools for zone in pool.in_zones}
    if profile.fabric.kind == "gib" and len(zones) > 1:
        reason = "a RoCE network belongs to one zone"
        yield Problem("pools", ", ".join(sorted(zones)), reason, "use one zone, and another cluster for the other")
