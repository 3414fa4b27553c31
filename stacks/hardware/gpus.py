"""GPU models as data: what a node reports of them, and how they can be sliced.

Products are the values that GPU Feature Discovery writes (NVIDIA/k8s-device-plugin README); PCI ids and MIG profiles
those of the MIG manager's layouts at GPU Operator v26.7.0 (assets/state-mig-manager/0400_configmap.yaml) and of
NVIDIA's MIG User Guide; ids of GPUs without MIG those of the PCI id database. A model that is not here a profile
describes itself (`stacks/hardware/own.py`).
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, PositiveInt

from components.section import Section

Family = Literal["volta", "turing", "ampere", "ada", "hopper", "blackwell"]
LabelValue = Annotated[str, Field(pattern=r"^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$")]
PciId = Annotated[str, Field(pattern=r"^[0-9a-f]{4}$")]
MigProfile = Annotated[str, Field(pattern=r"^[1-7]g\.[0-9]+gb$")]


EIGHTHS = 8
"""Memory slices of a GPU with MIG, whatever it computes in (MIG User Guide, "Supported MIG Profiles")."""


class Gpu(Section):
    """One GPU model."""

    product: LabelValue
    """Value of the node label `nvidia.com/gpu.product`: `nvidia-smi -L`'s name with `-` for spaces."""
    memory_gib: PositiveInt
    """Memory of one GPU; models must fit in it."""
    family: Family
    """Blackwell takes open kernel modules only, Volta has none (NVIDIA/open-gpu-kernel-modules README)."""
    pci_ids: tuple[PciId, ...] = ()
    """PCI device ids, lower case hex, as NFD reports them (`lspci -nn -d 10de:`)."""
    mig: Mapping[MigProfile, PositiveInt] = Field(default_factory=dict)
    """MIG profile to the most of it that one GPU holds (`nvidia-smi mig -lgip`); empty: no MIG."""

    @property
    def compute_slices(self) -> int:
        """Compute slices of one GPU, all of which its smallest or its largest profile takes; 0 without MIG."""
        return max((int(profile[0]) * most for profile, most in self.mig.items()), default=0)

    def computes(self, layout: Mapping[str, int]) -> int:
        """Compute slices that a layout takes together."""
        return sum(int(name[0]) * count for name, count in layout.items())

    def eighths(self, layout: Mapping[str, int]) -> int:
        """Memory slices that it takes: names round memory up, the hardware hands it out in eighths."""
        return sum(round(EIGHTHS * int(name[3:-2]) / self.memory_gib) * count for name, count in layout.items())


def _mig(*memory: int) -> dict[str, int]:
    """The six profiles every MIG GPU has, by their memory: 1g, 1g with double memory, 2g, 3g, 4g and 7g."""
    shapes = (("1g", 7), ("1g", 4), ("2g", 3), ("3g", 2), ("4g", 1), ("7g", 1))
    return {f"{compute}.{gb}gb": count for (compute, count), gb in zip(shapes, memory, strict=True)}


def _gpu(product: str, memory: int, family: str, pci: str = "", mig: Mapping[str, int] | None = None) -> Gpu:
    facts = {"product": product, "memory_gib": memory, "family": family}
    return Gpu.model_validate({**facts, "pci_ids": tuple(pci.split()), "mig": mig or {}})


_MIG_80 = _mig(10, 20, 20, 40, 40, 80)
_MIG_94 = _mig(12, 24, 24, 47, 47, 94)
_MIG_141 = _mig(18, 35, 35, 71, 71, 141)


def _mig_of_four(*memory: int) -> dict[str, int]:
    """GPUs of four compute slices have 1g, 2g and 4g."""
    return {f"{compute}g.{gb}gb": 4 // compute for compute, gb in zip((1, 2, 4), memory, strict=True)}


# fmt: off
GPUS: Mapping[str, Gpu] = {
    "V100":         _gpu("Tesla-V100-SXM2-16GB", 16, "volta", "1db1"),
    "V100-32":      _gpu("Tesla-V100-SXM2-32GB", 32, "volta", "1db5"),
    "V100-PCIe":    _gpu("Tesla-V100-PCIE-16GB", 16, "volta", "1db4"),
    "V100-PCIe-32": _gpu("Tesla-V100-PCIE-32GB", 32, "volta", "1db6"),
    "T4":           _gpu("Tesla-T4", 16, "turing", "1eb8"),
    "A10":          _gpu("NVIDIA-A10", 24, "ampere", "2236"),
    "A10G":         _gpu("NVIDIA-A10G", 24, "ampere", "2237"),
    "A30":          _gpu("NVIDIA-A30", 24, "ampere", "20b7", _mig_of_four(6, 12, 24)),
    "A40":          _gpu("NVIDIA-A40", 48, "ampere", "2235"),
    "A100-40":      _gpu("NVIDIA-A100-SXM4-40GB", 40, "ampere", "20b0", _mig(5, 10, 10, 20, 20, 40)),
    "A100-80":      _gpu("NVIDIA-A100-SXM4-80GB", 80, "ampere", "20b2", _MIG_80),
    "A100-PCIe-40": _gpu("NVIDIA-A100-PCIE-40GB", 40, "ampere", "20f1", _mig(5, 10, 10, 20, 20, 40)),
    "A100-PCIe-80": _gpu("NVIDIA-A100-80GB-PCIe", 80, "ampere", "20b5", _MIG_80),
    "H100":         _gpu("NVIDIA-H100-80GB-HBM3", 80, "hopper", "2330", _MIG_80),
    "H100-PCIe":    _gpu("NVIDIA-H100-PCIe", 80, "hopper", "2331", _MIG_80),
    "H100-NVL":     _gpu("NVIDIA-H100-NVL", 94, "hopper", "2321", _MIG_94),
    "H200":         _gpu("NVIDIA-H200", 141, "hopper", "2335", _MIG_141),
    "H200-NVL":     _gpu("NVIDIA-H200-NVL", 141, "hopper", "233b", _MIG_141),
    "B200":         _gpu("NVIDIA-B200", 180, "blackwell", "2901", _mig(23, 45, 45, 90, 90, 180)),
    "B300":         _gpu("NVIDIA-B300-SXM6-AC", 269, "blackwell", "3182", _mig(34, 67, 67, 135, 135, 269)),
    # MIG on the Grace boards is limited by CDMM (GPU Operator platform support); we do not slice them.
    "GH200":        _gpu("NVIDIA-GH200-480GB", 96, "hopper", "2342"),
    "GH200-144":    _gpu("NVIDIA-GH200-144G-HBM3e", 144, "hopper", "2348"),
    "GB200":        _gpu("NVIDIA-GB200", 186, "blackwell", "2941"),
    "GB300":        _gpu("NVIDIA-GB300", 278, "blackwell", "31c2"),
    "RTX-PRO-6000": _gpu("NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition", 96, "blackwell", "2bb5",
                         _mig_of_four(24, 48, 96)),
    "L40S":         _gpu("NVIDIA-L40S", 48, "ada", "26b9"),
    "L40":          _gpu("NVIDIA-L40", 48, "ada", "26b5"),
    "L4":           _gpu("NVIDIA-L4", 24, "ada", "27b8"),
}
# fmt: on
