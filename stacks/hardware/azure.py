"""Azure virtual machine sizes with NVIDIA GPUs (Azure documentation, "GPU accelerated virtual machine sizes")."""

from collections.abc import Mapping
from typing import Any

from stacks.hardware.shape import NICS_8X200, NICS_8X400, PCIE, RACK_4X400, RACK_4X800, Shape, node

SIZES = "Azure GPU accelerated virtual machine sizes"
PERFTEST: dict[str, Any] = {"source": "Azure/aks-rdma-infiniband"}


def _aks(gpu: str, gpus: int, size: tuple[int, int], fabrics: str = "", **more: object) -> Shape:
    return node("aks", gpu, gpus, size, fabrics, **{"source": SIZES, **more})


# fmt: off
AZURE: Mapping[str, Shape] = {
    "ND96asr_v4":        _aks("A100-40", 8, (96, 900), "infiniband", **NICS_8X200, **PERFTEST),
    "ND96amsr_A100_v4":  _aks("A100-80", 8, (96, 1900), "infiniband", **NICS_8X200, **PERFTEST),
    "ND96isr_H100_v5":   _aks("H100", 8, (96, 1900), "infiniband", **NICS_8X400, **PERFTEST),
    "ND96isr_H200_v5":   _aks("H200", 8, (96, 1850), "infiniband", **NICS_8X400),
    "ND128isr_NDR_GB200_v6": _aks("GB200", 4, (128, 900), "infiniband", **RACK_4X400),
    "ND128isr_GB300_v6": _aks("GB300", 4, (128, 900), "infiniband", **RACK_4X800),
    "NC24ads_A100_v4":   _aks("A100-PCIe-80", 1, (24, 220)),
    "NC48ads_A100_v4":   _aks("A100-PCIe-80", 2, (48, 440)),
    "NC96ads_A100_v4":   _aks("A100-PCIe-80", 4, (96, 880), nvlink_domain=2),
    "NC40ads_H100_v5":   _aks("H100-NVL", 1, (40, 320)),
    "NC80adis_H100_v5":  _aks("H100-NVL", 2, (80, 640)),
    "NC4as_T4_v3":       _aks("T4", 1, (4, 28)),
    "NC8as_T4_v3":       _aks("T4", 1, (8, 56)),
    "NC16as_T4_v3":      _aks("T4", 1, (16, 110)),
    "NC64as_T4_v3":      _aks("T4", 4, (64, 440), **PCIE),
    "NV36ads_A10_v5":    _aks("A10", 1, (36, 440)),
    "NV72ads_A10_v5":    _aks("A10", 2, (72, 880), **PCIE),
}
# fmt: on

TOPOLOGIES: Mapping[str, str] = {
    "ND96asr_v4": "ndv4",
    "ND96amsr_A100_v4": "ndv4",
    "ND96isr_H100_v5": "ndv5",
    "ND96isr_H200_v5": "ndv5",
}
"""Whose PCI buses NCCL must be told (Azure/azhpc-images, the SKUs of its customisations)."""
