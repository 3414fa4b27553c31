"""Machines of one's own: NVIDIA's systems by their user guides, and baseboards in servers of many makers.

A maker chooses processors, memory and NICs around a baseboard, so rows named `hgx-…` and by GPU are the common build;
a site whose machines differ describes them under `hardware` of its profile.
"""

from collections.abc import Mapping

from stacks.hardware.shape import NICS_8X200, NICS_8X400, RACK_4X400, RACK_4X800, Shape, node

DGX_GUIDES = "NVIDIA DGX user guides"
SHEETS = "NVIDIA data sheets"
REFERENCE = "NVIDIA HGX reference architecture: one NIC per GPU"
BOTH = "infiniband roce"


def _dgx(gpu: str, size: tuple[int, int], **more: object) -> Shape:
    return node(None, gpu, 8, size, BOTH, **{**NICS_8X400, "source": DGX_GUIDES, **more})


def _hgx(gpu: str, size: tuple[int, int], **more: object) -> Shape:
    """One NIC per GPU and two more for storage and management."""
    return node(None, gpu, 8, size, BOTH, **{**NICS_8X400, "source": REFERENCE, **more})


def _rack(gpu: str, **more: object) -> Shape:
    """A compute tray of a rack of 18: two Grace of 72 cores, four GPUs, one NIC per GPU."""
    return node(None, gpu, 4, (144, 960), BOTH, **{"source": "NVIDIA GB200 and GB300 NVL72 data sheets", **more})


def _pcie(gpu: str, gpus: int, size: tuple[int, int], nics: int, gbps: int, **more: object) -> Shape:
    facts: dict[str, object] = {"nvlink_domain": 1, "source": SHEETS, **more}
    return node(None, gpu, gpus, size, "roce", nics=nics, nic_gbps=gbps, **facts)


# fmt: off
ON_SITE: Mapping[str, Shape] = {
    "dgx-a100":          _dgx("A100-80", (256, 2048), **NICS_8X200, extra_hcas=2),
    "dgx-h100":          _dgx("H100", (224, 2048), extra_hcas=4),
    "dgx-h200":          _dgx("H200", (224, 2048), extra_hcas=4),
    "dgx-b200":          _dgx("B200", (224, 2048), extra_hcas=4),
    "dgx-b300":          _dgx("B300", (256, 2048), nic_gbps=800, extra_hcas=4),
    "hgx-a100":          node(None, "A100-80", 8, (128, 1024), BOTH, **NICS_8X200, source=SHEETS),
    "hgx-h100":          _hgx("H100", (192, 2048)),
    "hgx-h200":          _hgx("H200", (192, 2048)),
    "hgx-b200":          _hgx("B200", (192, 2048)),
    "hgx-b300":          _hgx("B300", (192, 2048), nic_gbps=800),
    "gb200-nvl72":       _rack("GB200", **RACK_4X400),
    "gb300-nvl72":       _rack("GB300", **RACK_4X800),
    "gh200":             node(None, "GH200", 1, (72, 480), BOTH, nics=1, nic_gbps=400, arch="arm64", source=SHEETS),
    "h100-nvl-8":        _pcie("H100-NVL", 8, (192, 1024), 4, 400, nvlink_domain=2),
    "h200-nvl-8":        _pcie("H200-NVL", 8, (192, 1536), 4, 400, nvlink_domain=4),
    "rtx-pro-6000-8":    _pcie("RTX-PRO-6000", 8, (192, 1024), 4, 400),
    "l40s-4":            _pcie("L40S", 4, (64, 512), 1, 200),
    "l40s-8":            _pcie("L40S", 8, (128, 1024), 2, 200),
    "l40-8":             _pcie("L40", 8, (128, 1024), 2, 200),
    "l4-4":              _pcie("L4", 4, (64, 256), 1, 100),
    "l4-8":              _pcie("L4", 8, (128, 512), 1, 100),
    "a30-4":             _pcie("A30", 4, (64, 512), 1, 100),
    "a10-4":             _pcie("A10", 4, (64, 512), 1, 100),
    "a100-pcie-4":       _pcie("A100-PCIe-80", 4, (64, 512), 1, 200),
    "t4-4":              _pcie("T4", 4, (64, 384), 1, 25),
    "v100-8":            node(None, "V100-32", 8, (80, 512), BOTH, nics=4, nic_gbps=100, source=DGX_GUIDES),
}
# fmt: on
