"""OCI compute shapes with NVIDIA GPUs (OCI documentation, "Compute Shapes"; an OCPU of x86 is two processors)."""

from collections.abc import Mapping

from stacks.hardware.shape import NICS_8X400, PCIE, RACK, RACK_4X400, Shape, node

SHAPES_PAGE = "OCI compute shapes"
NCCL_PRESETS = "oracle-quickstart/oci-hpc-oke recommended NCCL parameters"


def _oke(gpu: str, gpus: int, size: tuple[int, int], fabrics: str = "roce", **more: object) -> Shape:
    return node("oke", gpu, gpus, size, fabrics, **{"source": NCCL_PRESETS, **more})


# fmt: off
ORACLE: Mapping[str, Shape] = {
    "BM.GPU4.8":         _oke("A100-40", 8, (128, 2048), nics=16, nic_gbps=100),
    "BM.GPU.A100-v2.8":  _oke("A100-80", 8, (256, 2048), nics=16, nic_gbps=100),
    "BM.GPU.H100.8":     _oke("H100", 8, (224, 2048), nics=16, nic_gbps=200),
    "BM.GPU.H200.8":     _oke("H200", 8, (224, 3072), **NICS_8X400),
    "BM.GPU.B200.8":     _oke("B200", 8, (256, 4096), **NICS_8X400),
    "BM.GPU.B300.8":     _oke("B300", 8, (256, 4096), nics=16, nic_gbps=400),
    "BM.GPU.GB200.4":    _oke("GB200", 4, (144, 960), **RACK_4X400),
    "BM.GPU.GB200-v2.4": _oke("GB200", 4, (144, 960), **RACK_4X400),
    "BM.GPU.GB300.4":    _oke("GB300", 4, (144, 960), nics=None, **RACK, source=SHAPES_PAGE),
    "BM.GPU.L40S.4":     _oke("L40S", 4, (224, 1024), nics=2, nic_gbps=400, **PCIE, source=SHAPES_PAGE),
    "BM.GPU.A10.4":      _oke("A10", 4, (128, 1024), "", **PCIE, source=SHAPES_PAGE),
    "VM.GPU.A10.1":      _oke("A10", 1, (30, 240), "", source=SHAPES_PAGE),
    "VM.GPU.A10.2":      _oke("A10", 2, (60, 480), "", **PCIE, source=SHAPES_PAGE),
}
# fmt: on
