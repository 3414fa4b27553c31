"""What a node of a pool gives the teams' pods: the kubelet's part, less our own agents on it.

The platform's formulas stand in `bedplate/catalog/kubelet.py`. A profile may say what its nodes offer instead, as
`kubectl describe node` shows it; then only the agents are taken off.
"""

from collections.abc import Iterator, Mapping

from bedplate.catalog.kubelet import RESERVES, Node, kept
from bedplate.catalog.machines import of_type
from bedplate.components.facts import Fabric
from bedplate.components.facts.allocatable import GIB, Allocatable
from bedplate.components.facts.fabric import PAGE_MIB
from bedplate.components.quantity import amount, mib
from bedplate.components.storage.drivers import provisioner
from bedplate.components.storage.mounts import mounts
from bedplate.stacks.hardware.shapes import Shape
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.profile import Profile

OURS: Mapping[str, tuple[int, int]] = {
    "nfd": (5, 64),
    "multus": (100, 256),
    "whereabouts": (100, 50),
    "efa_device_plugin": (10, 20),
    "network_operator": (450, 250),
    "monitoring": (100, 128),
}
"""Millicores and MiB that our agents ask for on each node, by the section that brings them: the charts' defaults, and
`components/network/multus/`. Of the Network Operator: nv-ipam, Multus, CNI plug-ins and the SR-IOV daemon
(Mellanox/network-operator manifests/); of monitoring a standalone DCGM exporter. The GPU Operator's ask for nothing."""
DRIVER = (100, 256)
"""The most that a storage driver's agent asks for (`components/storage/exascaler.py`; FSx: 30m and 104 MiB)."""


def allocatable(profile: Profile, fabric: Fabric, pool: Pool, shape: Shape, *, nics: int) -> Allocatable:
    """Of one node of the pool; never less than nothing."""
    nominal = (shape.cpus * 1000, shape.memory_gib * GIB)
    cut = kept(profile.platform, node_of(pool, shape))
    pages = fabric.node_pages * PAGE_MIB if nics else 0
    cpu, memory = nominal[0] - cut.millicores, nominal[1] - cut.memory - pages
    steps = (("kernel", cut.kernel), ("reserved", cut.reserved), ("eviction", cut.eviction), ("huge pages", pages))
    if stated_by_hand := pool.allocatable:
        cpu = int(amount(stated_by_hand.cpu) * 1000) if stated_by_hand.cpu else cpu
        if stated_by_hand.memory:
            memory = int(mib(stated_by_hand.memory))
            steps = (("that its kubelet keeps", nominal[1] - memory),)
    sharers = sum(sum(gpu.values()) or 1 for gpu in pool.slices) or shape.gpus * pool.time_slicing
    beside = sidecars(profile, max(1, sharers))
    mine = tuple(map(sum, zip(*agents(profile), beside, strict=True)))
    return Allocatable(
        millicores=max(0, cpu - mine[0]),
        memory=max(0, memory - mine[1]),
        kubelet=(cpu, memory),
        steps=(*steps, ("agents", mine[1])),
    )


def node_of(pool: Pool, shape: Shape) -> Node:
    """The machine, as the formulas ask for it."""
    sold = of_type(pool.machine or "")
    return Node(shape.cpus, shape.memory_gib * GIB, sold.pods if sold else None)


def agents(profile: Profile) -> Iterator[tuple[int, int]]:
    """What the platform's agents and ours ask for on a node of the cluster."""
    yield RESERVES[profile.platform].agents
    yield from (agent for section, agent in OURS.items() if getattr(profile, section) is not None)
    if profile.storage and profile.storage.driver:
        yield DRIVER


def sidecars(profile: Profile, pods: int) -> tuple[int, int]:
    """What the driver's webhook puts beside so many pods."""
    driver = profile.storage.driver if profile.storage else None
    sidecar = mounts(provisioner(driver)).sidecar if driver else (0, 0)
    return sidecar[0] * pods, sidecar[1] * pods
