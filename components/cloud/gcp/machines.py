"""What GKE must be told of a GPU machine besides its name (GKE docs: GPU platforms, GPUDirect, AI Hypercomputer)."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Machine:
    """One accelerator-optimised machine type."""

    accelerator: str
    """GKE's name of its GPU."""
    local_ssds: int
    """Local SSDs that come with it, for images and scratch."""


MACHINES: Mapping[str, Machine] = {
    "a3-highgpu-8g": Machine("nvidia-h100-80gb", 16),
    "a3-megagpu-8g": Machine("nvidia-h100-mega-80gb", 16),
    "a3-ultragpu-8g": Machine("nvidia-h200-141gb", 32),
    "a4-highgpu-8g": Machine("nvidia-b200", 32),
    "a4x-highgpu-4g": Machine("nvidia-gb200", 4),
}
