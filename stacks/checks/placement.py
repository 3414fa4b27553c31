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
from bedplate.stacks.profile.problem import Problem, keyed, problem
from bedplate.stacks.profile.profile import Profile

LOCAL_DISKS = "/mnt/k8s-disks"
"""Where nodeadm mounts the instance store, if it is told to (awslabs/amazon-eks-ami, local_disk.go)."""
STRATEGIES = {"aws": ("cluster", "partition", "spread"), "gcp": ("compact",)}
FIELDS_OF = {"partitions": ("partition",), "max_distance": ("compact",), "vm_count": ("compact",)}


def check_placement(profile: Profile) -> Iterator[Problem]:
    """Every fault of a pool's placement, and of what a cloud wants besides: GKE counts nodes per zone."""
    section = profile.cloud
    if not isinstance(section, AwsCloud | GcpCloud):
        return
    for key, pool in keyed("pools", profile.pools):
        if pool.placement:
            yield from _placement(profile, section.kind, f"{key}.placement", pool)
        zones = len(pool.in_zones)
        if isinstance(section, GcpCloud) and pool.capacity and zones and pool.nodes % zones:
            yield problem("placement.uneven-zones", pool.nodes, key, zones=zones)
    if isinstance(section, AwsCloud):
        yield from chain(_eks_image(profile, section), _new_cluster(profile, section))
    else:
        yield from _gpu_networks(profile, section)


def _placement(profile: Profile, cloud: str, key: str, pool: Pool) -> Iterator[Problem]:
    placement = pool.placement
    if placement is None:
        return
    strategy = placement.strategy
    if strategy not in STRATEGIES[cloud]:
        yield problem("placement.no-such-strategy", strategy, key, cloud=cloud, strategies=STRATEGIES[cloud])
    if pool.capacity and not isinstance(pool.capacity, OnDemand | Spot):
        inside = "inPlacementGroup" if cloud == "aws" else "placementPolicy"
        yield problem("placement.reserved-elsewhere", strategy, key, pool=pool, inside=inside)
    if strategy in ("partition", "spread") and interfaces(profile, pool):
        yield problem("placement.spread-fabric", strategy, key, profile=profile)
    if strategy in ("cluster", "compact") and len(pool.in_zones) > 1:
        yield problem("placement.two-zones-together", strategy, key, pool=pool)
    for name, strategies in FIELDS_OF.items():
        if getattr(placement, name) is not None and strategy not in strategies:
            yield problem("placement.not-of-strategy", getattr(placement, name), key, name=name, strategy=strategy)


def _eks_image(profile: Profile, section: AwsCloud) -> Iterator[Problem]:
    """Managed node groups run AWS's images; others bring their own bootstrap. The disks are mounted if it is told."""
    if profile.own_cloud and profile.node_os not in EKS_IMAGES:
        yield problem("placement.eks-image", profile.node_os, eks_images=EKS_IMAGES)
    racks = [str(pool.machine) for pool in profile.pools if ultraserver(str(pool.machine))]
    if racks and profile.node_os == "bottlerocket-nvidia":
        yield problem("placement.rack-image", profile.node_os, racks=racks)
    if section.local_disks and profile.node_os != "al2023-nvidia":
        yield problem("placement.no-nodeadm", section.local_disks, profile=profile)
    cache = profile.storage.cache if profile.storage and profile.own_cloud and not section.local_disks else None
    if isinstance(cache, HostPathCache) and cache.host_path.startswith(LOCAL_DISKS):
        yield problem("placement.cache-unmounted", cache.host_path)


def _new_cluster(profile: Profile, section: AwsCloud) -> Iterator[Problem]:
    """A stack that makes a cluster deploys nothing on it, and its zones are the region's."""
    new = section.cluster.create
    if new is None:
        return
    for zone in new.zones:
        if zone[:-1] != section.region:
            yield problem("placement.not-a-zone", zone, section=section)
    for name, field in type(profile).model_fields.items():
        if field.default is None and name not in ("cloud", "charts") and getattr(profile, name) is not None:
            yield problem("placement.beside-new-cluster", "present", field.alias or name)


def _gpu_networks(profile: Profile, section: GcpCloud) -> Iterator[Problem]:
    """Subnets enough, addresses enough in each, and one RoCE zone."""
    pools = [p for p in profile.pools if p.capacity and interfaces(profile, p)]
    if not pools or profile.fabric.kind not in ("tcpxo", "gib"):
        return
    space, prefix, key = section.networks.address_range, section.networks.subnet_prefix, "cloud.networks"
    needed = max((p.hardware.nics or 0) for p in pools if p.hardware) + (profile.fabric.kind == "gib")
    if prefix < space.prefixlen or 2 ** (prefix - space.prefixlen) < needed:
        yield problem("placement.too-few-subnets", space, key, needed=needed, prefix=prefix)
    nodes = sum(p.most for p in pools)
    if 2 ** (32 - prefix) - 4 < nodes:
        yield problem("placement.too-few-addresses", prefix, key, nodes=nodes)
    for name, cidr in (
        ("podCidr", profile.cluster_network.pod_cidr),
        ("serviceCidr", profile.cluster_network.service_cidr),
    ):
        if cidr and cidr.overlaps(space):
            yield problem("placement.over-cluster-network", space, key, name=name, cidr=cidr)
    zones = {zone for pool in pools for zone in pool.in_zones}
    if profile.fabric.kind == "gib" and len(zones) > 1:
        yield problem("placement.roce-over-zones", ", ".join(sorted(zones)))
