"""EC2 instance types with NVIDIA GPUs.

Sizes: EC2 documentation, "Specifications for Amazon EC2 accelerated computing instances". EFA: the same, "Supported
instance types" of Elastic Fabric Adapter and "Maximize network bandwidth on instances with multiple network cards"
(efa-acc-inst-types); `nic_gbps` is the rate of one EFA interface.
"""

from collections.abc import Mapping
from typing import Any

from stacks.hardware.shape import PCIE, RACK, Shape, node

EFA_TABLE = "EC2 efa-acc-inst-types"
TYPES = "EC2 accelerated computing instance types"
CHECKS = "awslabs/awsome-distributed-ai healthcheck instance profiles"


def _efa(gpu: str, gpus: int, size: tuple[int, int], nics: int | None, gbps: int, **more: object) -> Shape:
    facts: dict[str, Any] = {"nics": nics, "nic_gbps": gbps, "source": EFA_TABLE, **more}
    return node("eks", gpu, gpus, size, "efa", **facts)


def _plain(gpu: str, gpus: int, size: tuple[int, int]) -> Shape:
    """Without EFA: jobs stay within the node."""
    return node("eks", gpu, gpus, size, source=TYPES)


# fmt: off
AWS: Mapping[str, Shape] = {
    "p3.2xlarge":        _plain("V100", 1, (8, 61)),
    "p3.8xlarge":        _plain("V100", 4, (32, 244)),
    "p3.16xlarge":       _plain("V100", 8, (64, 488)),
    "p3dn.24xlarge":     _efa("V100-32", 8, (96, 768), 1, 100),
    "p4d.24xlarge":      _efa("A100-40", 8, (96, 1152), 4, 100),
    "p4de.24xlarge":     _efa("A100-80", 8, (96, 1152), 4, 100),
    "p5.4xlarge":        _efa("H100", 1, (16, 256), 1, 100),
    "p5.48xlarge":       _efa("H100", 8, (192, 2048), 32, 100),
    "p5e.48xlarge":      _efa("H200", 8, (192, 2048), 32, 100, source=CHECKS),
    "p5en.48xlarge":     _efa("H200", 8, (192, 2048), 16, 200, source=CHECKS),
    "p6-b200.48xlarge":  _efa("B200", 8, (192, 2048), 8, 400, source=CHECKS),
    "p6-b300.48xlarge":  _efa("B300", 8, (192, 4096), 16, 400, ena_card=True, source="awslabs aws-pcs templates"),
    # 17 network cards: two share a NIC and two NICs a GPU, so that four interfaces have all of the bandwidth.
    "p6e-gb200.36xlarge": _efa("GB200", 4, (144, 960), 4, 400, ena_card=True, efa_card_step=4, **RACK),
    "g4dn.xlarge":       _plain("T4", 1, (4, 16)),
    "g4dn.2xlarge":      _plain("T4", 1, (8, 32)),
    "g4dn.4xlarge":      _plain("T4", 1, (16, 64)),
    "g4dn.8xlarge":      _efa("T4", 1, (32, 128), 1, 50),
    "g4dn.12xlarge":     _efa("T4", 4, (48, 192), 1, 50, **PCIE),
    "g4dn.16xlarge":     _efa("T4", 1, (64, 256), 1, 50),
    "g4dn.metal":        _efa("T4", 8, (96, 384), 1, 100, **PCIE),
    "g5.xlarge":         _plain("A10G", 1, (4, 16)),
    "g5.2xlarge":        _plain("A10G", 1, (8, 32)),
    "g5.4xlarge":        _plain("A10G", 1, (16, 64)),
    "g5.8xlarge":        _efa("A10G", 1, (32, 128), 1, 25),
    "g5.12xlarge":       _efa("A10G", 4, (48, 192), 1, 40, **PCIE),
    "g5.16xlarge":       _efa("A10G", 1, (64, 256), 1, 25),
    "g5.24xlarge":       _efa("A10G", 4, (96, 384), 1, 50, **PCIE),
    "g5.48xlarge":       _efa("A10G", 8, (192, 768), 1, 100, **PCIE),
    "g6.xlarge":         _plain("L4", 1, (4, 16)),
    "g6.2xlarge":        _plain("L4", 1, (8, 32)),
    "g6.4xlarge":        _plain("L4", 1, (16, 64)),
    "g6.8xlarge":        _efa("L4", 1, (32, 128), 1, 25),
    "g6.12xlarge":       _efa("L4", 4, (48, 192), 1, 40, **PCIE),
    "g6.16xlarge":       _efa("L4", 1, (64, 256), 1, 25),
    "g6.24xlarge":       _efa("L4", 4, (96, 384), 1, 50, **PCIE),
    "g6.48xlarge":       _efa("L4", 8, (192, 768), 1, 100, **PCIE),
    "g6e.xlarge":        _plain("L40S", 1, (4, 32)),
    "g6e.2xlarge":       _plain("L40S", 1, (8, 64)),
    "g6e.4xlarge":       _plain("L40S", 1, (16, 128)),
    "g6e.8xlarge":       _efa("L40S", 1, (32, 256), 1, 25),
    "g6e.12xlarge":      _efa("L40S", 4, (48, 384), 1, 100, **PCIE),
    "g6e.16xlarge":      _efa("L40S", 1, (64, 512), 1, 35),
    "g6e.24xlarge":      _efa("L40S", 4, (96, 768), 2, 100, **PCIE),
    "g6e.48xlarge":      _efa("L40S", 8, (192, 1536), 4, 100, **PCIE),
}
# fmt: on
