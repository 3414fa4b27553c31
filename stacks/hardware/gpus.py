"""GPU models as data: what a node reports of them, and how they can be sliced.

Products are the values that GPU Feature Discovery writes (NVIDIA/k8s-device-plugin README); PCI ids those of
NVIDIA/mig-parted's configuration and the PCI id database; MIG profiles those of NVIDIA's MIG User Guide, "Supported
MIG Profiles".
"""

from collections.abc import Mapping

from pydantic import Field, PositiveInt

from components.section import Section


class Gpu(Section):
    """One GPU model."""

    product: str
    """Value of the node label `nvidia.com/gpu.product`."""
    memory_gib: PositiveInt
    family: str
    """ampere, ada, hopper or blackwell; Blackwell takes open kernel modules only (GPU Operator platform support)."""
    pci_ids: tuple[str, ...] = ()
    """PCI device ids, lower case hex, as NFD reports them."""
    mig: Mapping[str, PositiveInt] = Field(default_factory=dict)
    """MIG profile to the most of it that one GPU holds; empty: no MIG."""


def _mig(*memory: int) -> dict[str, int]:
    """The six profiles every MIG GPU has, by their memory: 1g, 1g with double memory, 2g, 3g, 4g and 7g."""
    shapes = (("1g", 7), ("1g", 4), ("2g", 3), ("3g", 2), ("4g", 1), ("7g", 1))
    return {f"{compute}.{gb}gb": count for (compute, count), gb in zip(shapes, memory, strict=True)}


def _gpu(product: str, memory: int, family: str, pci: str = "", mig: Mapping[str, int] | None = None) -> Gpu:
    return Gpu(product=product, memory_gib=memory, family=family, pci_ids=tuple(pci.split()), mig=mig or {})


_MIG_80 = _mig(10, 20, 20, 40, 40, 80)

GPUS: Mapping[str, Gpu] = {
    "A100-40": _gpu("NVIDIA-A100-SXM4-40GB", 40, "ampere", "20b0", _mig(5, 10, 10, 20, 20, 40)),
    "A100-80": _gpu("NVIDIA-A100-SXM4-80GB", 80, "ampere", "20b2", _MIG_80),
    "A100-PCIe-80": _gpu("NVIDIA-A100-80GB-PCIe", 80, "ampere", "20b5", _MIG_80),
    "H100": _gpu("NVIDIA-H100-80GB-HBM3", 80, "hopper", "2330", _MIG_80),
    "H100-PCIe": _gpu("NVIDIA-H100-PCIe", 80, "hopper", "2331", _MIG_80),
    "H200": _gpu("NVIDIA-H200", 141, "hopper", "2335", _mig(18, 35, 35, 71, 71, 141)),
    "B200": _gpu("NVIDIA-B200", 180, "blackwell", "2901", _mig(23, 45, 45, 90, 90, 180)),
    "B300": _gpu("NVIDIA-B300-SXM6-AC", 269, "blackwell", "3182", _mig(34, 67, 67, 135, 135, 269)),
    # MIG on the Grace boards is limited by CDMM (GPU Operator platform support); we do not slice them.
    "GB200": _gpu("NVIDIA-GB200", 186, "blackwell", "2941"),
    "L40S": _gpu("NVIDIA-L40S", 48, "ada", "26b9"),
    "L4": _gpu("NVIDIA-L4", 24, "ada", "27b8"),
}
