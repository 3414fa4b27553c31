"""Rules about the nodes that this stack makes: the cloud, the region, the zones, the machine and what holds it."""

import re
from collections.abc import Iterator, Mapping
from itertools import chain

from bedplate.catalog.gpus import GPUS
from bedplate.catalog.machines import like, sold_by
from bedplate.components.cloud.aws.section import AwsCloud
from bedplate.components.cloud.gcp.section import GcpCloud
from bedplate.components.facts.capacity import FlexStart
from bedplate.components.platforms import PLATFORMS
from bedplate.nearest import nearest
from bedplate.stacks.facts.fabric import interfaces
from bedplate.stacks.hardware.shapes import SHAPES
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.problem import Problem, keyed, problem
from bedplate.stacks.profile.profile import Profile

CAPACITIES: Mapping[str, tuple[str, ...]] = {
    "aws": ("on-demand", "odcr", "capacity-block", "spot"),
    "gcp": ("on-demand", "reservation", "spot", "flex-start"),
}
MACHINE_NAME = {
    "aws": re.compile(r"^[a-z][a-z0-9-]*\.([a-z]+|[0-9]+xlarge|metal-[0-9]+xl)$"),
    "gcp": re.compile(
        r"^[a-z][a-z0-9]*-(standard|high(mem|cpu|gpu)|maxgpu|mega(mem|gpu)|ultra(mem|gpu))-[0-9]+g?(-[a-z]+)?$"
    ),
}
WITHOUT_EFA = re.compile(r"\.(nano|micro|small|medium|large|xlarge|2xlarge)$")
"""Sizes that have no EFA in any family (EC2 User Guide, "Supported instance types")."""
FLEX_START_SINCE = {"without": (1, 33), "with": (1, 32)}
"""GKE documentation, "About GPU obtainability with flex-start": 1.33.0-gke.1712000, with a queue 1.32.2-gke.1652000."""
EKS_IMAGES = ("al2023-nvidia", "bottlerocket-nvidia")


def ultraserver(machine: str) -> bool:
    """A part of a rack that EC2 sells whole (EKS User Guide, "Use P6e-GB200 UltraServers with Amazon EKS")."""
    return any(row.seller == "aws" and GPUS[row.gpu].rack for row in like(machine))


def check_cloud(profile: Profile) -> Iterator[Problem]:
    """Every fault of the cloud section and of the pools that it makes."""
    section = profile.cloud
    if section is None:
        for key, pool in _made(profile):
            yield problem("cloud.capacity-without-cloud", pool.capacity and pool.capacity.kind, key)
        yield from _spread_pools(profile)
        return
    if (home := PLATFORMS[profile.platform].cloud) != section.kind:
        fix = f"use {home}" if home else "remove cloud"
        yield problem("cloud.other-cloud", section.kind, profile=profile, section=section, fix=fix)
        return
    if isinstance(section, AwsCloud | GcpCloud) and profile.own_cloud is None:
        yield problem("cloud.nothing-to-make", section.kind)
    for key, pool in _made(profile):
        yield from chain(_capacity(section.kind, key, pool), _machine(section.kind, key, pool))
        if isinstance(section, AwsCloud | GcpCloud):
            zones = _zones(profile, section.region, key, pool)
            yield from chain(zones, _autoscale(key, pool), _flex_start(profile, key, pool))
    yield from chain(_spread_pools(profile), _context(profile))


def _made(profile: Profile) -> Iterator[tuple[str, Pool]]:
    """Pools whose nodes this stack makes, with their YAML key."""
    return ((f"pools[{index}]", pool) for index, pool in enumerate(profile.pools) if pool.capacity)


def _capacity(cloud: str, key: str, pool: Pool) -> Iterator[Problem]:
    kind = pool.capacity.kind if pool.capacity else None
    if cloud not in CAPACITIES:
        yield problem("cloud.pools-not-made-there", kind, key, cloud=cloud)
    elif kind not in CAPACITIES[cloud]:
        yield problem("cloud.no-such-capacity", kind, key, cloud=cloud, capacities=CAPACITIES[cloud])
    elif ultraserver(str(pool.machine)) and kind != "capacity-block":
        yield problem("cloud.ultraserver", kind, key, pool=pool)


def _machine(cloud: str, key: str, pool: Pool) -> Iterator[Problem]:
    """The cloud's name of the machine is known, and the shape says of it what is true."""
    if cloud not in MACHINE_NAME or (isinstance(pool.shape, str) and pool.hardware is None):
        return
    machine, where = pool.machine, f"{key}.instanceType"
    if isinstance(pool.shape, str) and pool.instance_type:
        yield problem("cloud.machine-said-twice", pool.instance_type, where=where, pool=pool)
    elif machine is None:
        yield problem("cloud.machine-missing", where=where)
    elif not MACHINE_NAME[cloud].match(machine):
        yield problem("cloud.no-name-of-the-cloud", machine, where=where, cloud=cloud)
    elif cloud == "gcp" and pool.gpu and machine not in (sold := sold_by("google")):
        near = ", ".join(nearest(machine, sold, most=2)) or "one of docs/hardware.md"
        yield problem("cloud.unknown-machine", machine, where=where, near=near)
    else:
        yield from _true_facts(key, pool, machine)


def _true_facts(key: str, pool: Pool, machine: str) -> Iterator[Problem]:
    """A shape given in full does not claim interfaces that the machine has not."""
    shape, catalogued = pool.hardware, SHAPES.get(machine)
    if shape is None or isinstance(pool.shape, str):
        return
    if catalogued and catalogued.nics is not None:
        yield problem("cloud.known-machine-in-full", machine, key, machine=machine)
    elif "efa" in shape.fabrics and WITHOUT_EFA.search(machine):
        yield problem("cloud.no-efa", "efa", key, machine=machine)


def _zones(profile: Profile, region: str, key: str, pool: Pool) -> Iterator[Problem]:
    """Every zone is one of the region's; RDMA and its placement do not reach across two."""
    if not pool.in_zones:
        yield problem("cloud.zone-missing", None, key, region=region)
    # A Local Zone has a place in its name, such as us-east-1-dfw-2a, which has P6e-GB200 (EC2, Capacity Blocks).
    pattern = rf"{region}(-[a-z]{{3}}-[0-9]+)?[a-z]" if profile.platform == "eks" else rf"{region}-[a-z]"
    for zone in pool.in_zones:
        if not re.fullmatch(pattern, zone):
            yield problem("cloud.not-a-zone", zone, key, region=region, hyphen="" if profile.platform == "eks" else "-")


def _spread_pools(profile: Profile) -> Iterator[Problem]:
    """Where the profile says both `zone` and `zones`, or two zones where the fabric holds in one only."""
    for at, pool in keyed("pools", profile.pools):
        if pool.zone and pool.zones:
            yield problem("cloud.zone-and-zones", ", ".join(pool.zones), at=at, pool=pool)
        if len(set(pool.zones)) != len(pool.zones):
            yield problem("cloud.zone-twice", ", ".join(pool.zones), at=at)
        if len(pool.zones) > 1 and interfaces(profile, pool):
            yield problem("cloud.fabric-over-zones", ", ".join(pool.zones), at=at, profile=profile)


def _flex_start(profile: Profile, key: str, pool: Pool) -> Iterator[Problem]:
    """The pool begins empty, and its autoscaler asks for machines when pods want them."""
    if profile.platform != "gke" or not isinstance(pool.capacity, FlexStart):
        return
    if pool.autoscale is None or pool.autoscale.min or pool.nodes:
        yield problem("cloud.flex-start-with-nodes", pool.nodes, key)
    queueing = "with" if pool.capacity.queued else "without"
    if tuple(map(int, profile.kubernetes_version.split("."))) < FLEX_START_SINCE[queueing]:
        since = ".".join(map(str, FLEX_START_SINCE[queueing]))
        yield problem("cloud.flex-start-too-early", profile.kubernetes_version, asked=queueing, since=since)
    if pool.capacity.queued and (profile.scheduling is None or profile.scheduling.kind != "kueue"):
        yield problem("cloud.queued-without-kueue", "true", key)
    if pool.capacity.queued and pool.gpu is None:
        yield problem("cloud.queued-without-gpus", "true", key)


def _autoscale(key: str, pool: Pool) -> Iterator[Problem]:
    if pool.autoscale is None:
        return
    fewest, most = pool.autoscale.min, pool.autoscale.max
    if not fewest <= pool.nodes <= most:
        yield problem("cloud.nodes-outside-bounds", f"{fewest} to {most}", key, pool=pool, fewest=fewest, most=most)


def _context(profile: Profile) -> Iterator[Problem]:
    """The kubeconfig context, where the cloud's own tool wrote it, names the same account, region and cluster."""
    section = profile.cloud
    parts: dict[str, str | None] = {}
    match: re.Match[str] | None = None
    if isinstance(section, AwsCloud):
        match = re.fullmatch(
            r"arn:[^:]+:eks:(?P<region>[^:]+):(?P<account>[0-9]+):cluster/(?P<cluster>.+)", profile.context
        )
        name = section.cluster.name or profile.name
        parts = {"region": section.region, "account": section.account, "cluster": name}
    elif isinstance(section, GcpCloud):
        match = re.fullmatch(r"gke_(?P<project>[^_]+)_(?P<location>[^_]+)_(?P<cluster>[^_]+)", profile.context)
        location = section.location or section.region
        parts = {"project": section.project, "location": location, "cluster": section.cluster or profile.name}
    for part, value in parts.items():
        if match and value and match[part] != value:
            yield problem("cloud.other-context", value, part=part, named=match[part])
