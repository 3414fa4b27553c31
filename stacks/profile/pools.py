"""Node pools as the profile declares them: a shape, how many, and what sets them apart."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from bedplate.components.facts.capacity import Autoscale, Capacity, Placement
from bedplate.components.section import DnsLabel, Hca, InterfaceName, LabelValue, Quantity, Section, Size
from bedplate.stacks.hardware.gpus import Gpu
from bedplate.stacks.hardware.shapes import SHAPES, Shape

GPU_TAINT_KEY = "nvidia.com/gpu"


class Taint(Section):
    """A node taint; every agent that must run on the pool tolerates it by key and effect."""

    key: str = Field(min_length=1)
    value: str = ""
    effect: Literal["NoSchedule", "NoExecute", "PreferNoSchedule"] = "NoSchedule"


class MigLayout(Section):
    """Some GPUs of a node, all cut alike."""

    gpus: Annotated[tuple[NonNegativeInt, ...], Field(min_length=1)]
    """Their numbers, as `nvidia-smi` counts them: the first is 0."""
    slices: Mapping[str, PositiveInt] = Field(default_factory=dict)
    """MIG slices of each of them, such as {3g.40gb: 2}; empty: they are whole."""


class NodeAllocatable(Section):
    """What the kubelet of a node offers, as `kubectl describe node` shows it under `Allocatable`."""

    cpu: Quantity | None = None
    """Such as 3920m; absent: by the platform's formula."""
    memory: Size | None = None
    """Such as 13591652Ki; absent: by the platform's formula."""


class Pool(Section):
    """Nodes of one shape."""

    name: DnsLabel
    """Name of the pool; on a cloud also the name of its node group."""
    shape: str | Shape
    """A shape of docs/hardware.md or of `hardware.shapes` by name, or the same facts in full."""
    nodes: NonNegativeInt
    """How many nodes; sizing, IP pools and quotas are computed from it."""
    allocatable: NodeAllocatable | None = None
    """What the kubelets of these nodes offer to pods, where it is not what the platform's formula says
    (docs/sizing.md): what jobs and servers ask for, and quotas, are reckoned from it."""
    min_ready: NonNegativeInt | None = None
    """How many of them must be whole, with all their GPUs and fabric devices, for a deployment to go on; by default
    all, or as many as the autoscaler keeps at least."""
    selector: Mapping[str, LabelValue] | None = None
    """Node labels that pick this pool and no other; by default the cloud's own pool label, or the GPU product."""
    labels: Mapping[str, LabelValue] = Field(default_factory=dict)
    """Further labels that the site puts on these nodes, such as rack or zone."""
    taints: tuple[Taint, ...] | None = None
    """Taints on the nodes; by default `nvidia.com/gpu:NoSchedule` on GPU nodes and none elsewhere."""
    mig: Mapping[str, PositiveInt] = Field(default_factory=dict)
    """MIG slices cut from every GPU, such as {1g.10gb: 7}; empty: whole GPUs."""
    mig_layouts: tuple[MigLayout, ...] = ()
    """GPUs of each node that are cut otherwise than `mig` says, by their numbers; a pod asks for the slices, or for
    whole GPUs, by their own names."""
    time_slicing: PositiveInt = 1
    """Pods that may share one GPU; no memory or fault isolation, so inference experiments only."""
    zone: str | None = None
    """The zone that all nodes of the pool are in; RDMA pools have exactly one."""
    zones: tuple[str, ...] = ()
    """Instead of `zone`, the zones that a pool without RDMA spreads over."""
    rails: tuple[InterfaceName, ...] | None = None
    """Network device of each rail on these nodes, rail 0 first, where they differ from `fabric.rails`; empty: a pool
    outside the fabric, whatever NICs it has."""
    hcas: tuple[Hca, ...] | None = None
    """RDMA devices of the rails on these nodes, where they differ from `fabric.hcas`."""
    instance_type: str | None = None
    """The cloud's name of the machine; only for a shape given in full, other shapes are called what the cloud calls
    them."""
    capacity: Capacity | None = None
    """What the machines are taken from; absent: the pool was made elsewhere, and this stack makes no nodes."""
    placement: Placement | None = None
    """Where the machines stand to each other; by default RDMA pools stand together."""
    autoscale: Autoscale | None = None
    """Let an autoscaler choose how many nodes there are, within bounds."""

    @property
    def hardware(self) -> Shape | None:
        """The shape's facts, or None for a name that we do not know."""
        return self.shape if isinstance(self.shape, Shape) else SHAPES.get(self.shape)

    @property
    def cut_otherwise(self) -> dict[int, Mapping[str, int]]:
        """MIG slices of the GPUs that `migLayouts` names, by their numbers."""
        return {gpu: layout.slices for layout in self.mig_layouts for gpu in layout.gpus}

    @property
    def slices(self) -> tuple[Mapping[str, int], ...]:
        """MIG slices of each GPU of a node; none where all are whole."""
        other = self.cut_otherwise
        layouts = tuple(other.get(gpu, self.mig) for gpu in range(self.hardware.gpus if self.hardware else 0))
        return layouts if any(layouts) else ()

    @property
    def most(self) -> int:
        """Nodes when all are there that an autoscaler may add."""
        return max(self.nodes, self.autoscale.max if self.autoscale else 0)

    @property
    def machine(self) -> str | None:
        """The cloud's name of the machine."""
        return self.shape if isinstance(self.shape, str) else self.instance_type or self.shape.name

    @property
    def kind(self) -> str:
        """What plans and reports call its machines."""
        return self.shape if isinstance(self.shape, str) else self.shape.name or "custom"

    @property
    def in_zones(self) -> tuple[str, ...]:
        """The zones of its nodes, as far as the profile says."""
        return (self.zone,) if self.zone else self.zones

    @property
    def gpu(self) -> Gpu | None:
        """The GPU model's facts, or None without one that we know."""
        shape = self.hardware
        return shape.model if shape else None

    @property
    def effective_taints(self) -> tuple[Taint, ...]:
        """The declared taints, or the default of a GPU pool."""
        if self.taints is not None:
            return self.taints
        return (Taint(key=GPU_TAINT_KEY, value="present"),) if self.hardware and self.hardware.gpus else ()
