"""What machines draw at most, from their vendors' data sheets.

Of a machine without a sheet the GPUs' boards are known at least: processors, fans and disks come on top of that.
"""

from collections.abc import Mapping

from stacks.hardware.shape import Shape

SHARED = 8
SYSTEM_KW: Mapping[str, float] = {"A100": 6.5, "H100": 10.2, "H200": 10.2, "B200": 14.3, "B300": 14.5}
"""A whole system with eight of these GPUs, kW: DGX A100, H100, H200, B200 and B300 data sheets."""
SHEETS = "NVIDIA DGX data sheets, system power at most"
BOARD_WATTS: Mapping[str, int] = {
    "V100": 300, "V100-32": 300, "V100-PCIe": 250, "V100-PCIe-32": 250, "T4": 70, "A10": 150, "A30": 165, "A40": 300,
    "A100-PCIe-40": 250, "A100-PCIe-80": 300, "H100-PCIe": 350, "H100-NVL": 400, "H200-NVL": 600,
    "L4": 72, "L40": 300, "L40S": 350, "RTX-PRO-6000": 600,
}  # fmt: skip
"""One board (NVIDIA's data sheets, thermal design power or configurable maximum)."""


def draw(shape: Shape) -> tuple[float, bool] | None:
    """Kilowatts of one node, and whether that is all of it or its GPUs' boards alone; None where nobody says."""
    if shape.max_kw is not None:
        return shape.max_kw, True
    name = shape.gpu if isinstance(shape.gpu, str) else ""
    if name in BOARD_WATTS:
        return BOARD_WATTS[name] * shape.gpus / 1000, False
    family = name.removesuffix("-40").removesuffix("-80")
    return (SYSTEM_KW[family] / SHARED * shape.gpus, True) if family in SYSTEM_KW else None
