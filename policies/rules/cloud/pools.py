"""Node pools of any cloud: reservations, scaling, disks, and a place for the operators."""

from collections.abc import Iterator

from bedplate.catalog.machines import like
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pools import BLOCKING
from bedplate.policies.resources.stack import Stack
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import dig, integer, text, texts, tree, trees, whole

RESERVED = (
    ("capacityReservationSpecification",),
    ("instanceMarketOptions",),
    ("nodeConfig", "reservationAffinity"),
    ("capacityReservationGroupId",),
    ("hostGroupId",),
)
SMALLEST_DISK = 200
AUTOSCALER = "k8s.io/cluster-autoscaler/node-template/"
GPU_TAGS = ("label/", "taint/", "resources/nvidia.com/")
"""The last of them by any name: GPUs, or their slices."""


def _types(pool: Resource) -> list[str]:
    single = [pool.at("instanceType"), pool.at("vmSize"), pool.at("nodeConfig", "machineType")]
    return [*filter(None, map(text, single)), *texts(pool.at("instanceTypes"))]


def _pools(stack: Stack) -> Iterator[tuple[Resource, list[str], list[Resource]]]:
    """Each node pool with its instance types and the launch templates behind it."""
    for pool in stack.of("NodeGroup", "NodePool", "AgentPool"):
        templates = [resource for resource in stack.of("LaunchTemplate") if resource.urn in pool.dependencies]
        yield pool, [*_types(pool), *(name for resource in templates for name in _types(resource))], templates


@rule("CLD-805", ADVISORY, on=Stack)
def capacity_reserved(stack: Stack) -> Complaints:
    """Pools of machines that the catalogue calls scarce (p5, p6, ND, A3, A4) name a reservation."""
    for pool, types, templates in _pools(stack):
        scarce = next((name for name in types if any(each.scarce for each in like(name))), "")
        places = [each.at(*path) for each in [pool, *templates] for path in RESERVED]
        if scarce and all(place is None for place in places):
            yield Complaint(f"{scarce} without a reservation", about=pool)


@rule("CLD-809", ADVISORY, on=Stack)
def describes_nodes(stack: Stack) -> Complaints:
    """A GPU group with a minimum of zero carries the autoscaler's node template tags."""
    for pool, types, _templates in _pools(stack):
        least = integer(pool.at("scalingConfig", "minSize"))
        tags = pool.at("tags")
        if least != 0 or pool.kind != "NodeGroup" or not whole(tags) or not any(map(like, types)):
            continue
        missing = [part for part in GPU_TAGS if not any(key.startswith(f"{AUTOSCALER}{part}") for key in tree(tags))]
        if missing:
            yield Complaint(f"minSize is 0 without the tag {AUTOSCALER}{missing[0]}", about=pool)


@rule("CLD-810", MANDATORY, on=Stack)
def system_pool(stack: Stack) -> Complaints:
    """Not every pool of the cluster keeps ordinary pods away."""
    pools = stack.facts.pools
    tainted = [pool for pool in pools if any(taint.effect in BLOCKING for taint in pool.taints)]
    if pools and len(tainted) == len(pools) and stack.complete:
        yield f"all pools are tainted: {', '.join(pool.name for pool in pools)}"


@rule("CLD-811", ADVISORY, on=Stack)
def disk_room(stack: Stack) -> Complaints:
    """The root disk of a GPU node holds several images and a model."""
    for pool, types, templates in _pools(stack):
        if not any(map(like, types)):
            continue
        sizes = [pool.at("diskSize"), pool.at("nodeConfig", "diskSizeGb"), pool.at("osDiskSizeGB")]
        for template in templates:
            sizes += [dig(each, "ebs", "volumeSize") for each in trees(template.at("blockDeviceMappings"))[:1]]
        small = [size for size in map(integer, sizes) if size and size < SMALLEST_DISK]
        if small:
            fix = f"Give the root disk {SMALLEST_DISK} GB or more"
            yield Complaint(f"the root disk has {small[0]} GB", fix, about=pool)
