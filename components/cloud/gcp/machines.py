"""What GKE must be told of a GPU machine besides its name (GKE docs: GPU platforms, GPUDirect, AI Hypercomputer)."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Machine:
    """One accelerator-optimised machine type."""

    accelerator: str
    """GKE's name of its GPU."""
    local_ssds: int
    """Local SSDs that come with it, for images and scratch; 0: none."""


MACHINES: Mapping[str, Machine] = {
    **{f"a2-highgpu-{gpus}g": Machine("nvidia-tesla-a100", 0) for gpus in (1, 2, 4, 8)},
    "a2-megagpu-16g": Machine("nvidia-tesla-a100", 0),
    **{f"a2-ultragpu-{gpus}g": Machine("nvidia-a100-80gb", gpus) for gpus in (1, 2, 4, 8)},
    **{f"a3-highgpu-{gpus}g": Machine("nvidia-h100-80gb", 2 * gpus) for gpus in (1, 2, 4)},
    "a3-highgpu-8g": Machine("nvidia-h100-80gb", 16),
    "a3-megagpu-8g": Machine("nvidia-h100-mega-80gb", 16),
    "a3-ultragpu-8g": Machine("nvidia-h200-141gb", 32),
    "a4-highgpu-8g": Machine("nvidia-b200", 32),
    "a4x-highgpu-4g": Machine("nvidia-gb200", 4),
    **{f"g2-standard-{cpus}": Machine("nvidia-l4", 0) for cpus in (4, 8, 12, 16, 24, 32, 48, 96)},
    **{f"g4-standard-{48 * gpus}": Machine("nvidia-rtx-pro-6000", 4 * gpus) for gpus in (1, 2, 4, 8)},
}
