"""Compute Engine machine types with NVIDIA GPUs ("Accelerator-optimized machine family"), as GKE offers them."""

from collections.abc import Mapping

from stacks.hardware.shape import NICS_8X200, NICS_8X400, PCIE, RACK_4X400, Shape, node

MACHINES = "Compute Engine accelerator-optimized machine family"
TOOLKIT = "GoogleCloudPlatform/cluster-toolkit"
AICR = "NVIDIA/aicr"


def _gke(gpu: str, gpus: int, size: tuple[int, int], fabrics: str = "", **more: object) -> Shape:
    return node("gke", gpu, gpus, size, fabrics, **{"source": MACHINES, **more})


# fmt: off
GOOGLE: Mapping[str, Shape] = {
    "a2-highgpu-1g":     _gke("A100-40", 1, (12, 85)),
    "a2-highgpu-2g":     _gke("A100-40", 2, (24, 170)),
    "a2-highgpu-4g":     _gke("A100-40", 4, (48, 340)),
    "a2-highgpu-8g":     _gke("A100-40", 8, (96, 680)),
    "a2-megagpu-16g":    _gke("A100-40", 16, (96, 1360)),
    "a2-ultragpu-1g":    _gke("A100-80", 1, (12, 170)),
    "a2-ultragpu-2g":    _gke("A100-80", 2, (24, 340)),
    "a2-ultragpu-4g":    _gke("A100-80", 4, (48, 680)),
    "a2-ultragpu-8g":    _gke("A100-80", 8, (96, 1360)),
    "a3-highgpu-1g":     _gke("H100", 1, (26, 234)),
    "a3-highgpu-2g":     _gke("H100", 2, (52, 468)),
    "a3-highgpu-4g":     _gke("H100", 4, (104, 936)),
    # GPUDirect-TCPX of the a3-highgpu has a sidecar of its own that we do not install: it plans without a fabric.
    "a3-highgpu-8g":     _gke("H100", 8, (208, 1872), nics=4, nic_gbps=200, source=TOOLKIT),
    "a3-megagpu-8g":     _gke("H100", 8, (208, 1872), "tcpxo", **NICS_8X200, source=AICR),
    "a3-ultragpu-8g":    _gke("H200", 8, (224, 2952), "gib", **NICS_8X400, source=TOOLKIT),
    "a4-highgpu-8g":     _gke("B200", 8, (224, 3968), "gib", **NICS_8X400, source=TOOLKIT),
    "a4x-highgpu-4g":    _gke("GB200", 4, (140, 884), "gib", **RACK_4X400, source=AICR),
    "g2-standard-4":     _gke("L4", 1, (4, 16)),
    "g2-standard-8":     _gke("L4", 1, (8, 32)),
    "g2-standard-12":    _gke("L4", 1, (12, 48)),
    "g2-standard-16":    _gke("L4", 1, (16, 64)),
    "g2-standard-24":    _gke("L4", 2, (24, 96), **PCIE),
    "g2-standard-32":    _gke("L4", 1, (32, 128)),
    "g2-standard-48":    _gke("L4", 4, (48, 192), **PCIE),
    "g2-standard-96":    _gke("L4", 8, (96, 384), **PCIE),
    "g4-standard-48":    _gke("RTX-PRO-6000", 1, (48, 180)),
    "g4-standard-96":    _gke("RTX-PRO-6000", 2, (96, 360), **PCIE),
    "g4-standard-192":   _gke("RTX-PRO-6000", 4, (192, 720), **PCIE),
    "g4-standard-384":   _gke("RTX-PRO-6000", 8, (384, 1440), **PCIE),
}
# fmt: on
