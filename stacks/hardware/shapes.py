"""Node shapes as data: what one node of each kind has, with the source of every figure.

A pool names a shape from here or gives the same facts in full. Nothing is guessed: an unknown name is an error that
lists the known.
"""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from components.platforms import CloudPlatform, FabricKind
from components.section import Section

EFA_TABLE = "EC2 efa-acc-inst-types"
CHECKS = "awslabs/awsome-distributed-ai healthcheck instance profiles"
OCI = "oracle-quickstart/oci-hpc-oke recommended NCCL parameters"
AKS = "Azure/aks-rdma-infiniband"
TOOLKIT = "GoogleCloudPlatform/cluster-toolkit"
AICR = "NVIDIA/aicr"
DGX = "NVIDIA DGX user guides"
SHEETS = "NVIDIA data sheets"


class Shape(Section):
    """One node: what the scheduler can hand out, and how the node reaches the others."""

    gpu: str | None = None
    """GPU model, a key of the table in `stacks/hardware/gpus.py`; absent on a CPU node."""
    gpus: NonNegativeInt = 0
    """GPUs per node."""
    cpus: PositiveInt
    """Logical processors."""
    memory_gib: PositiveInt
    """Main memory, GiB."""
    arch: Literal["amd64", "arm64"] = "amd64"
    fabrics: tuple[FabricKind, ...] = ()
    """Fabrics that the node's interfaces can form."""
    nics: NonNegativeInt | None = 0
    """RDMA-capable interfaces that take part in the fabric; null: not published, read it from the cloud's own API."""
    nic_gbps: NonNegativeInt = 0
    """Line rate of one interface, Gb/s."""
    extra_hcas: NonNegativeInt = 0
    """Further Mellanox devices for storage and management, which NCCL must not use."""
    nvlink_domain: PositiveInt = 1
    """GPUs that share NVLink; 72 for a rack-scale system, which needs a ComputeDomain."""
    ena_card: bool = False
    """Network card 0 carries the plain interface alone, so that EFA starts at card 1 (p6-b300)."""
    busbw_floor_gbs: NonNegativeInt = 0
    """All-reduce bus bandwidth over two nodes below which the fabric is broken, GB/s; 0: no published floor."""
    cloud: CloudPlatform | None = None
    """The one platform that offers this shape; absent: bare metal."""
    source: str = Field(default="profile", min_length=1)
    """Where the figures come from."""


def _aws(gpu: str, gpus: int, size: tuple[int, int], efa: int | None, gbps: int, **more: object) -> Shape:
    """An EC2 type: `gbps` is the rate of one of its EFA interfaces."""
    return _node("eks", gpu, gpus, size, "efa", **{"nics": efa, "nic_gbps": gbps, "source": EFA_TABLE, **more})


def _node(cloud: str | None, gpu: str, gpus: int, size: tuple[int, int], fabrics: str, **more: object) -> Shape:
    """A node with its fabrics as words; `nics` and `nic_gbps` come with `more`."""
    facts = {"fabrics": tuple(fabrics.split()), "nvlink_domain": gpus, "cloud": cloud, **more}
    return Shape.model_validate({"gpu": gpu, "gpus": gpus, "cpus": size[0], "memory_gib": size[1], **facts})


_8X400 = {"nics": 8, "nic_gbps": 400}
_8X200 = {"nics": 8, "nic_gbps": 200}
_PCIE = {"nvlink_domain": 1}
_AKS = {"busbw_floor_gbs": 150, "source": AKS}
_RACK = {"arch": "arm64", "nvlink_domain": 72}
_RACK4 = {**_RACK, "nics": 4, "nic_gbps": 400}
_DATA_SHEET = {"nvlink_domain": 1, "source": SHEETS}
_DGX = {**_8X400, "extra_hcas": 4, "source": DGX}

# fmt: off
SHAPES: Mapping[str, Shape] = {
    "p4d.24xlarge":      _aws("A100-40", 8, (96, 1152), 4, 100),
    "p4de.24xlarge":     _aws("A100-80", 8, (96, 1152), 4, 100, busbw_floor_gbs=60),
    "p5.48xlarge":       _aws("H100", 8, (192, 2048), 32, 100, busbw_floor_gbs=300),
    "p5e.48xlarge":      _aws("H200", 8, (192, 2048), 32, 100, busbw_floor_gbs=300, source=CHECKS),
    "p5en.48xlarge":     _aws("H200", 8, (192, 2048), 16, 200, busbw_floor_gbs=300, source=CHECKS),
    "p6-b200.48xlarge":  _aws("B200", 8, (192, 2048), 8, 400, source=CHECKS),
    "p6-b300.48xlarge":  _aws("B300", 8, (192, 4096), 16, 400, ena_card=True, source="awslabs aws-pcs templates"),
    "p6e-gb200.36xlarge": _aws("GB200", 4, (144, 960), None, 400, **_RACK),
    "g6e.12xlarge":      _aws("L40S", 4, (48, 384), 1, 100, **_PCIE),
    "g6e.48xlarge":      _aws("L40S", 8, (192, 1536), 4, 100, **_PCIE),
    "g6e.xlarge":        _node("eks", "L40S", 1, (4, 32), "", source="EC2 instance types"),
    "g6.xlarge":         _node("eks", "L4", 1, (4, 16), "", source="EC2 instance types"),
    "g6.12xlarge":       _aws("L4", 4, (48, 192), 1, 40, **_PCIE),
    "g6.48xlarge":       _aws("L4", 8, (192, 768), 1, 100, **_PCIE),
    # GPUDirect-TCPX of the a3-highgpu has a sidecar of its own that we do not install: it plans without a fabric.
    "a3-highgpu-8g":     _node("gke", "H100", 8, (208, 1872), "", nics=4, nic_gbps=200, source=TOOLKIT),
    "a3-megagpu-8g":     _node("gke", "H100", 8, (208, 1872), "tcpxo", **_8X200, busbw_floor_gbs=250, source=AICR),
    "a3-ultragpu-8g":    _node("gke", "H200", 8, (224, 2952), "gib", **_8X400, source=TOOLKIT),
    "a4-highgpu-8g":     _node("gke", "B200", 8, (224, 3968), "gib", **_8X400, source=TOOLKIT),
    "a4x-highgpu-4g":    _node("gke", "GB200", 4, (140, 884), "gib", **_RACK4, source=AICR),
    "ND96asr_v4":        _node("aks", "A100-40", 8, (96, 900), "infiniband", **_8X200, **_AKS),
    "ND96amsr_A100_v4":  _node("aks", "A100-80", 8, (96, 1900), "infiniband", **_8X200, **_AKS),
    "ND96isr_H100_v5":   _node("aks", "H100", 8, (96, 1900), "infiniband", **_8X400, **_AKS),
    "BM.GPU4.8":         _node("oke", "A100-40", 8, (128, 2048), "roce", nics=16, nic_gbps=100, source=OCI),
    "BM.GPU.A100-v2.8":  _node("oke", "A100-80", 8, (256, 2048), "roce", nics=16, nic_gbps=100, source=OCI),
    "BM.GPU.H100.8":     _node("oke", "H100", 8, (224, 2048), "roce", nics=16, nic_gbps=200, source=OCI),
    "BM.GPU.H200.8":     _node("oke", "H200", 8, (224, 3072), "roce", **_8X400, source=OCI),
    "BM.GPU.B200.8":     _node("oke", "B200", 8, (256, 4096), "roce", **_8X400, source=OCI),
    "BM.GPU.GB200.4":    _node("oke", "GB200", 4, (144, 960), "roce", **_RACK4, source=OCI),
    "dgx-a100":          _node(None, "A100-80", 8, (256, 2048), "infiniband roce", **_8X200, extra_hcas=2, source=DGX),
    "dgx-h100":          _node(None, "H100", 8, (224, 2048), "infiniband roce", **_DGX, busbw_floor_gbs=300),
    "dgx-h200":          _node(None, "H200", 8, (224, 2048), "infiniband roce", **_DGX, busbw_floor_gbs=300),
    "dgx-b200":          _node(None, "B200", 8, (224, 2048), "infiniband roce", **_DGX),
    "hgx-a100":          _node(None, "A100-80", 8, (128, 1024), "infiniband roce", **_8X200, source=SHEETS),
    "l40s-8":            _node(None, "L40S", 8, (128, 1024), "roce", nics=2, nic_gbps=200, **_DATA_SHEET),
    "l4-4":              _node(None, "L4", 4, (64, 256), "roce", nics=1, nic_gbps=100, **_DATA_SHEET),
}
# fmt: on
