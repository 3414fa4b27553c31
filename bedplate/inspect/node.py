"""One machine as it was recorded: what a profile says of its pools, and what decides whether that works."""

from collections.abc import Mapping
from dataclasses import dataclass, field

LEVELS = ("PIX", "PXB", "PHB", "NODE", "SYS")
"""How far a NIC is from a GPU, nearest first (`nvidia-smi topo -m`, "Legend")."""
ON_SWITCH = ("PIX", "PXB")
"""Both hang on one PCIe switch, or on switches below one root port: no processor is between them."""


@dataclass(frozen=True)
class Pci:
    """What the kernel says of a PCI function (Linux, Documentation/ABI/testing/sysfs-bus-pci)."""

    address: str
    path: tuple[str, ...]
    """Root complex, bridges and itself."""
    vendor: str
    device: str
    kind: str
    """Its class, six hex digits."""
    numa: int
    """-1: the firmware does not say."""
    driver: str
    iommu: str
    """Type of its IOMMU group: identity, DMA, DMA-FQ; empty: none."""
    vfs_most: int
    vfs: int
    parent: str
    """Of a virtual function, the physical one."""

    @property
    def card(self) -> str:
        """Functions of one card share it."""
        return self.address.rpartition(".")[0]


@dataclass(frozen=True)
class Gpu:
    """One GPU, in the order of nvidia-smi; without a driver in that of the PCI bus."""

    index: int
    pci: Pci
    product: str
    """As GPU Feature Discovery writes the label; empty: not known."""
    memory_mib: int
    driver: str
    mig: bool


@dataclass(frozen=True)
class Nic:
    """One port of an RDMA device, with its interface."""

    name: str
    pci: Pci
    firmware: str
    model: str
    """`hca_type`, such as MT4129."""
    active: bool
    gbps: int
    """0 without a link: what the port says then is no rate of anything."""
    link: str
    """InfiniBand or Ethernet."""
    interface: str
    """Empty: no network device."""
    mtu: int
    functions: int
    """Physical functions of its card, those without RDMA among them."""
    above: tuple[str, ...]
    """Bonds, bridges and VLANs over it."""

    @property
    def rail_interface(self) -> str:
        """The bond, where one RDMA device stands for its two ports (RoCE LAG)."""
        return next(iter(self.above), self.interface) if "bond" in self.name else self.interface


@dataclass(frozen=True)
class Node:
    """One machine."""

    name: str
    gpus: tuple[Gpu, ...]
    nics: tuple[Nic, ...]
    levels: Mapping[tuple[int, str], str]
    """By a GPU's index and an RDMA device or `GPU1`, as far as nvidia-smi says; NV18 between GPUs is NVLink."""
    machine: str
    bios: str
    kernel: str
    os: str
    version: str
    arch: str
    cpus: int
    memory_gib: int
    """Of the NUMA nodes with processors: on Grace the GPUs' memory is a node of its own."""
    sockets: int
    """NUMA nodes with processors."""
    huge_pages: Mapping[str, int] = field(default_factory=dict[str, int])
    """Reserved, by size."""
    iommu: str = ""
    """What the kernel's command line says of it."""
    nvidia: str = ""
    """Of /proc/driver/nvidia/version; empty: no driver is loaded."""
    containers: frozenset[str] = frozenset()
    """What the operators' containers load: `driver` (the GPU's), `ofed`."""
    modules: Mapping[str, str] = field(default_factory=dict[str, str])
    """Version of those that RDMA needs, by name; empty: the kernel's own."""
    default_routes: frozenset[str] = frozenset()
    redirecting: frozenset[str] | None = frozenset()
    """Bridges whose ACS sends peers' traffic up to the root complex; None: could not be read."""
    missing: tuple[str, ...] = ()
    """Programs and rights that whoever recorded it did not have."""

    def level(self, gpu: Gpu, nic: Nic) -> str:
        """nvidia-smi's word, or without a driver what the kernel's paths say."""
        level = self.levels.get((gpu.index, nic.name))
        return level if level in LEVELS else self._by_path(gpu.pci, nic.pci)

    def joined(self, gpu: Gpu) -> int | None:
        """GPUs that NVLink joins with this one, itself among them; None: nvidia-smi did not say."""
        joined = [
            level for (index, other), level in self.levels.items() if index == gpu.index and other.startswith("GPU")
        ]
        return 1 + sum(level.startswith("NV") for level in joined) if joined else None

    def _by_path(self, pci: Pci, other: Pci) -> str:
        shared = [a for a, b in zip(pci.path, other.path, strict=False) if a == b]
        if len(shared) > 1:
            apart = max(len(pci.path), len(other.path)) - len(shared)
            return "PIX" if apart <= len(("port", "function")) else "PXB"
        if shared:
            return "PHB"
        near = pci.numa == other.numa or (self.sockets == 1 and -1 in (pci.numa, other.numa))
        return "NODE" if near else "SYS"
