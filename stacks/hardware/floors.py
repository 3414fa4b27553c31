"""What an all-reduce must reach on a shape's fabric, each figure with its source; a shape without one has no floor.

Of each 90 % must be reached (`components/verification/nccl.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Floor:
    """Bus bandwidth of an all-reduce over whole nodes, GB/s."""

    two: int
    """Over two nodes."""
    source: str
    more: int | None = None
    """Over more; None: the same."""


_NDR = Floor(440, "NVIDIA/nccl#2409, NVIDIA/nccl-tests#283: 440 to 490 over two nodes, 330 to 370 over more", 330)
"""8 × 400 Gb/s beside NVLink switches: NCCL's trees over NVLink SHARP reach more than the NICs' 400 GB/s."""
_HDR = Floor(200, "Azure/aks-rdma-infiniband tests/expected-output.md: 187 is healthy, below 180 is a problem")

FLOORS: Mapping[str, Floor] = {
    **dict.fromkeys(("dgx-h100", "dgx-h200", "hgx-h100", "hgx-h200"), _NDR),
    "p5.48xlarge": Floor(300, "NVIDIA/aicr recipes/overlays/h100-eks-ubuntu-training.yaml"),
    "p4de.24xlarge": Floor(60, "awslabs/awsome-distributed-ai: 78 is healthy"),
    "a3-megagpu-8g": Floor(250, "NVIDIA/aicr recipes/overlays/h100-gke-cos-training.yaml"),
    "ND96isr_H100_v5": Floor(
        110, "NVIDIA/aicr recipes/overlays/h100-aks-ubuntu-training.yaml: at least 100; Azure has published none"
    ),
    "ND96asr_v4": _HDR,
    "ND96amsr_A100_v4": _HDR,
}

INSIDE = Floor(450, "NVIDIA/nccl-tests#212, NVIDIA/nccl-tests#272: 450 to 480 with NVLS, 360 to 370 without")
"""Over the eight GPUs of one H100 or H200 node with NVLink switches."""
_SWITCHED = ("H100", "H200")
_WHOLE = 8


def inside(product: str | None, gpus: int, joined: int) -> int:
    """GB/s that the GPUs of one node must reach by NVLink; 0: nobody has published what they do."""
    known = product is not None and any(model in product for model in _SWITCHED)
    return INSIDE.two if known and gpus == joined == _WHOLE else 0
