"""One node as its labels and its capacity tell it: the words by which nodes of a pool are alike."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from bedplate.catalog.kubelet import Node, kept
from bedplate.catalog.machines import of_type
from bedplate.cluster.objects import Object, labels, part
from bedplate.components.facts.allocatable import GIB
from bedplate.components.facts.pools import GPU, SLICE, slice_profile
from bedplate.components.quantity import amount, gib, mib
from bedplate.live.discover.slices import Layout, divided, model
from bedplate.stacks.hardware.shapes import SHAPES

NEAR = Decimal("1.15")
"""The formula is on the safe side; a profile that is no nearer to its nodes than this states their own figures."""
PLAIN = ("cpu", "memory", "ephemeral-storage", "pods", "hugepages-", "attachable-volumes-")
MELLANOX = re.compile(r"feature\.node\.kubernetes\.io/pci-(?:(\d{4})_)?15b3\.present")
FABRIC = ("rdma/", "openshift.io/", "nvidia.com/hostdev", "nvidia.com/rdma", "mellanox.com/")
"""How device plug-ins begin the names of a fabric's devices."""
CONTROL_PLANE = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")


@dataclass(frozen=True)
class Machine:
    """A node's hardware, as far as its labels and its capacity tell it."""

    name: str
    labels: Mapping[str, str]
    capacity: Mapping[str, str]
    offered: Mapping[str, str] = field(default_factory=dict[str, str])
    """What its kubelet leaves to pods."""

    @property
    def product(self) -> str | None:
        """The GPU, as GPU Feature Discovery calls it; of a slice without the slice, of shared ones without the word."""
        label = self.labels.get("nvidia.com/gpu.product")
        return label.partition("-MIG-")[0].removesuffix("-SHARED") if label else None

    @property
    def replicas(self) -> int:
        """Pods that share one GPU by time."""
        return int(self.labels.get("nvidia.com/gpu.replicas", "1"))

    @property
    def single(self) -> str | None:
        """The one kind of slice that is advertised as whole GPUs are (`mig.strategy: single`)."""
        label = self.labels.get("nvidia.com/gpu.product", "").partition("-MIG-")[2].removesuffix("-SHARED")
        return slice_profile(label) if label and self.labels.get("nvidia.com/mig.strategy") == "single" else None

    @property
    def gpus(self) -> int:
        """GPUs of the machine; GPU Feature Discovery counts them before they are shared, or cut by strategy mixed."""
        label = self.labels.get("nvidia.com/gpu.count")
        count = int(label) if label else int(self.capacity.get(GPU, "0")) // self.replicas
        gpu_model = model(self.product) if self.single else None
        # By strategy single it counts slices (NVIDIA/k8s-device-plugin, internal/lm/mig-strategy.go).
        return count // gpu_model.mig.get(str(self.single), 1) if gpu_model else count

    @property
    def slices(self) -> dict[str, int]:
        """Slices of each kind on the whole machine."""
        if self.single:
            return {self.single: int(self.labels.get("nvidia.com/gpu.count", "0"))} if self.gpus else {}
        slices = {slice_profile(name): int(n) for name, n in self.capacity.items() if name.startswith(SLICE)}
        return {name: count for name, count in slices.items() if self.gpus and count}

    @property
    def whole(self) -> int:
        """GPUs that are not cut, beside others that are."""
        return int(self.capacity.get(GPU, "0")) if self.slices and not self.single else 0

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """What each cut GPU holds, those that are alike side by side; empty where nobody can tell."""
        return divided(self.product, self.gpus - self.whole, self.slices)

    @property
    def cut_unlike(self) -> bool:
        """Its GPUs are cut in several ways, and nothing tells which is cut how."""
        return bool(self.slices) and not self.layouts

    @property
    def cpus(self) -> int:
        """Logical processors."""
        return int(self.capacity.get("cpu", "1"))

    @property
    def memory_gib(self) -> int:
        """Main memory in GiB, as the kernel sees it."""
        return round(gib(self.capacity.get("memory", "1Gi")))

    @property
    def arch(self) -> str:
        """The architecture of its processors, such as `amd64`."""
        return self.labels.get("kubernetes.io/arch", "amd64")

    @property
    def kind(self) -> str | None:
        """The instance type, as the cloud calls it."""
        return self.labels.get("node.kubernetes.io/instance-type")

    @property
    def devices(self) -> dict[str, int]:
        """Extended resources that are neither GPUs nor slices."""
        others = {name: count for name, count in self.capacity.items() if not name.startswith((*PLAIN, GPU, SLICE))}
        return {name: int(count) for name, count in others.items() if count.isdigit() and int(count)}

    @property
    def rdma(self) -> dict[str, int]:
        """Of these what somebody advertises of a fabric."""
        return {name: count for name, count in self.devices.items() if name.startswith(FABRIC)}

    @property
    def has_nics(self) -> bool:
        """Whether it has NICs of NVIDIA, as NFD says."""
        return any(MELLANOX.match(label) for label in self.labels)

    @property
    def fingerprint(self) -> tuple[object, ...]:
        """Nodes that agree in this are of one pool, as far as hardware tells."""
        slices = (self.whole, *sorted(self.slices.items()))
        return (self.product, self.gpus, self.cpus, self.memory_gib, self.arch, slices, self.replicas)


def machine(node: Object) -> Machine:
    """Of a Node object; what the machine has, also while some of it is not healthy."""
    capacity = {**part(node, "status", "allocatable"), **part(node, "status", "capacity")}
    return Machine(node["metadata"]["name"], labels(node), capacity, part(node, "status", "allocatable"))


def is_control_plane(node: Object) -> bool:
    """Its taint keeps pods of others away, so it is no pool."""
    taints = part(node, "spec").get("taints") or ()
    return any(taint["key"] in CONTROL_PLANE for taint in taints)


def offered(machines: Sequence[Machine], platform: str) -> dict[str, dict[str, str]]:
    """`allocatable` of a pool: the least that any of its nodes offers; nothing where the formula is as good."""
    offers = [machine.offered for machine in machines if {"cpu", "memory"} <= set(machine.offered)]
    if not offers:
        return {}
    cpu, memory = (min((offer[resource] for offer in offers), key=amount) for resource in ("cpu", "memory"))
    by_formula, observed = _formula(machines[0], platform), (amount(cpu) * 1000, mib(memory))
    near = all(least <= number <= least * NEAR for least, number in zip(by_formula, observed, strict=True))
    return {} if near else {"allocatable": {"cpu": cpu, "memory": memory}}


def _formula(machine: Machine, platform: str) -> tuple[int, int]:
    """What the platform's formula leaves to pods, in millicores and MiB."""
    shape, sold = SHAPES.get(machine.kind or ""), of_type(machine.kind or "")
    memory = (shape.memory_gib if shape else machine.memory_gib) * GIB
    cut = kept(platform, Node(machine.cpus, memory, sold.pods if sold else None))
    pages = sum(int(mib(size)) for name, size in machine.capacity.items() if name.startswith("hugepages-"))
    return machine.cpus * 1000 - cut.millicores, memory - cut.memory - pages
