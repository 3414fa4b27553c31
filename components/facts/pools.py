"""A pool of nodes as every component may know it: derived once, in `stacks/facts/pools.py`."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from bedplate.components.facts.allocatable import GIB, Allocatable
from bedplate.components.facts.capacity import Autoscale, Capacity, FlexStart, Placement

JsonObject = Mapping[str, object]
GPU, RENAMED = "nvidia.com/gpu", "nvidia.com/gpu.shared"
USABLE = 0.9
"""Part of a node's processors and memory that our pods take at most: sites have agents that no profile knows."""
SLICE = "nvidia.com/mig-"
"""What a slice's resource begins with; its profile follows."""
MIG_PROFILE = r"[1-7]g\.[0-9]+gb(\+me(\.all)?|\+gfx|-me)?"
"""A MIG profile, with or without media engines or graphics (MIG User Guide, "Supported MIG Profiles")."""


def slice_resource(profile: str) -> str:
    """`1g.10gb+me` is advertised as `nvidia.com/mig-1g.10gb.me` (NVIDIA/k8s-device-plugin internal/rm/rm.go)."""
    return f"{SLICE}{profile.replace('+', '.')}"


def slice_profile(resource: str) -> str:
    """The profile of a slice's resource, or of a product's label, which has no `+` either."""
    return resource.removeprefix(SLICE).replace("gb.", "gb+")


@dataclass(frozen=True)
class NodePool:
    """Nodes of one shape, as the scheduler will see them."""

    name: str
    shape: str
    nodes: int
    cpus: int
    memory_gib: int
    given: Allocatable | None = None
    """What a node gives the teams' pods; None: nobody reckoned, and then it is all that it has."""
    arch: str = "amd64"
    gpus: int = 0
    """GPUs per node."""
    gpu_product: str | None = None
    """Value of the label `nvidia.com/gpu.product` that GPU Feature Discovery writes."""
    gpu_memory_gib: int = 0
    gpu_family: str | None = None
    """ampere, ada, hopper or blackwell."""
    pci_device_ids: tuple[str, ...] = ()
    """PCI device ids of the GPU, lower case hex, as NFD reports them."""
    nvlink_domain: int = 1
    """GPUs that share NVLink: those of a node, or of the nodes of a rack."""
    nics: int = 0
    """RDMA interfaces per node that take part in the fabric; 0 outside it."""
    interfaces: tuple[str, ...] = ()
    """Network device of each rail on its nodes, rail 0 first, such as `ens1f0np0`; none where rails have no names."""
    wiring: str = ""
    """The first pool whose rails are the same devices; empty where those of all pools are."""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    """NCCL's variables of these nodes, besides the fabric's."""
    topology: str = ""
    """What NCCL must be told of its machines' PCI buses, because their hypervisor hides it; empty: NCCL sees it."""
    nic_gbps: int = 0
    """Line rate of one of them, in Gb/s."""
    busbw_floor_gbs: int = 0
    """All-reduce bus bandwidth over two of its nodes that a healthy fabric reaches, in GB/s; 0: unknown."""
    busbw_floor_many_gbs: int = 0
    """The same over more nodes."""
    devices: Mapping[str, int] = field(default_factory=dict[str, int])
    """Extended resources of the fabric that a pod with every GPU of a node asks for: name to count; none outside it."""
    device_pods: int = 1
    """Pods at a time that each of them is there for: those that may share it, or the virtual functions of a port."""
    selector: Mapping[str, str] = field(default_factory=dict[str, str])
    """Node labels that pick this pool and no other."""
    gate: Mapping[str, str] = field(default_factory=dict[str, str])
    """Labels that a node gets once it has proven itself, and without which no queue hands it out."""
    found_by: Mapping[str, str] = field(default_factory=dict[str, str])
    """Labels that pick it before it has a driver; empty: nobody knows any."""
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    """Further labels that the site or the cloud puts on the nodes."""
    taints: tuple[JsonObject, ...] = ()
    mig: Mapping[str, int] = field(default_factory=dict[str, int])
    """MIG slices of a GPU, such as {"1g.10gb": 7}; empty: whole GPUs."""
    mig_layouts: Mapping[int, Mapping[str, int]] = field(default_factory=dict[int, Mapping[str, int]])
    """The same of those GPUs of a node that are cut otherwise, by their numbers."""
    time_slices: int = 1
    """Pods that share one GPU by time slicing, under the name that follows; 1: none."""
    shared_as: str = RENAMED
    zones: tuple[str, ...] = ()
    """Where its nodes are; an RDMA pool has exactly one."""
    instance_type: str | None = None
    """The cloud's name of the machine, where this stack makes the pool."""
    ena_card: bool = False
    """Network card 0 carries no fabric interface (p6-b300)."""
    efa_card_step: int = 1
    """Network cards from one EFA interface to the next."""
    capacity: Capacity | None = None
    """What its machines are taken from; None: somebody else made the pool."""
    placement: Placement | None = None
    """Where they stand to each other, if the profile says so."""
    autoscale: Autoscale | None = None
    """Bounds of an autoscaler; None: `nodes` is exact."""
    min_ready: int | None = None
    """Nodes that must be whole; None: all."""

    @property
    def allocatable(self) -> Allocatable:
        """What a node gives the teams' pods together."""
        whole = (self.cpus * 1000, self.memory_gib * GIB)
        return self.given or Allocatable(*whole, kubelet=whole)

    @property
    def largest(self) -> tuple[int, int]:
        """Millicores and MiB of a pod that has a node to itself: some of it is left for what the site adds."""
        room = self.allocatable
        usual = (int(self.cpus * 1000 * USABLE), int(self.memory_gib * GIB * USABLE))
        return min(usual[0], room.millicores), min(usual[1], room.memory)

    @property
    def needed(self) -> tuple[int, int]:
        """Millicores and MiB that a kubelet must offer, so that such a pod fits beside the agents."""
        room, (cpu, memory) = self.allocatable, self.largest
        return cpu + room.kubelet[0] - room.millicores, memory + room.kubelet[1] - room.memory

    @property
    def queued(self) -> bool:
        """Its machines come all at once for a job that Kueue asks them for."""
        return isinstance(self.capacity, FlexStart) and self.capacity.queued

    @property
    def run_hours(self) -> int:
        """After which a machine of flex-start is taken away; 0: never."""
        return self.capacity.max_run_hours if isinstance(self.capacity, FlexStart) else 0

    @property
    def flavor(self) -> str:
        """What Kueue calls it: before 0.20 a flavor keeps its labels, so with a gate it is another one.

        Its name does not follow Kueue's release: at the upgrade it would be another pool, with nothing admitted to it.
        """
        return f"{self.name}-qualified" if self.gate else self.name

    @property
    def zone(self) -> str | None:
        """The one zone of a pool that has only one."""
        return self.zones[0] if len(self.zones) == 1 else None

    @property
    def bounds(self) -> tuple[int, int]:
        """Fewest and most nodes."""
        return (self.autoscale.min, self.autoscale.max) if self.autoscale else (self.nodes, self.nodes)

    @property
    def most(self) -> int:
        """Nodes when all are there that an autoscaler may add: what queues, quotas and addresses must be enough for."""
        return self.bounds[1]

    @property
    def required(self) -> int:
        """Nodes that must be whole before anything is put on the pool; an autoscaler owes no more than its fewest."""
        return self.bounds[0] if self.min_ready is None else self.min_ready

    @property
    def spare(self) -> int:
        """Nodes that may be missing or broken."""
        return self.bounds[0] - self.required

    @property
    def extended_resources(self) -> dict[str, int]:
        """What the device plugins of one node advertise: GPUs or their slices, and the fabric's devices."""
        return self.gpu_resources | {name: count * self.device_pods for name, count in self.devices.items()}

    @property
    def gpu_resources(self) -> dict[str, int]:
        """GPUs that one node advertises, or their slices: each kind by a name of its own (mixed strategy)."""
        if not self.cut:
            return {self.resource: self.gpus * self.time_slices} if self.gpus else {}
        cut = Counter[str]()
        for gpu in self.slices:
            cut.update({slice_resource(profile): count for profile, count in gpu.items()} or {GPU: 1})
        return dict(sorted(cut.items(), key=lambda each: each[0] == GPU))

    @property
    def slices(self) -> tuple[Mapping[str, int], ...]:
        """MIG slices of each GPU of a node; one without any is whole."""
        return tuple(self.mig_layouts.get(gpu, self.mig) for gpu in range(self.gpus))

    @property
    def cut(self) -> bool:
        """Some GPU of a node is cut into slices."""
        return any(self.slices)

    def part(self, resource: str, count: int) -> float:
        """Of a node's processors and memory, for a pod with so many of a resource: a slice has its part of the GPU."""
        if not self.cut:
            return count / self.units
        sizes = [_size(gpu, slice_profile(resource)) for gpu in self.slices]
        return count * min((size for size in sizes if size), default=0) / self.gpus

    @property
    def rack(self) -> bool:
        """Its NVLink joins nodes, which share memory by IMEX (NVL72)."""
        return 0 < self.gpus < self.nvlink_domain and self.nodes > 1

    @property
    def keeps_nics_on(self) -> bool:
        """A BMC keeps its NICs powered, so that their firmware starts anew only when told to.

        DGX, HGX B200 and B300, GB200 NVL72 (Network Operator documentation, "Platforms with external BMC").
        """
        return self.shape.startswith("dgx-") or (self.gpu_family == "blackwell" and self.nvlink_domain > 1)

    @property
    def channel(self) -> str:
        """The template by which its pods claim an IMEX channel; the DRA driver makes it with the ComputeDomain."""
        return f"{self.name}-imex"

    @property
    def sliced(self) -> bool:
        """A pod gets a part of a GPU: a MIG slice, or some of its time."""
        return self.cut or self.time_slices > 1

    @property
    def units(self) -> int:
        """GPUs, or the slices that they are cut into, on one node: its processors and memory are divided by them."""
        return sum(self.gpu_resources.values())

    def room(self, units: int, resource: str | None = None) -> int:
        """How many pods with so many GPUs or slices each the pool holds; one a node where they ask for too many."""
        return self.most * max(1, self.gpu_resources[resource or self.resource] // units)

    @property
    def total_gpus(self) -> int:
        """GPUs of the whole pool, at its largest."""
        return self.most * self.gpus

    @property
    def resource(self) -> str:
        """The extended resource that a pod on this pool asks for (mixed MIG strategy, renamed time slices)."""
        if self.cut:
            return next(iter(self.gpu_resources))
        return self.shared_as if self.time_slices > 1 else GPU


def _size(gpu: Mapping[str, int], asked: str) -> float:
    """A slice's part of what the GPU is cut into, by compute; a GPU that is not cut is whole."""
    if not gpu:
        return 1 if asked == GPU else 0
    all_ = sum(int(profile[0]) * count for profile, count in gpu.items())
    return int(asked[0]) / all_ if asked in gpu else 0
