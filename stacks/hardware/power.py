"""What machines draw at most, from their vendors' data sheets.

Of a machine without a sheet the GPUs' boards are known at least: processors, fans and disks come on top of that.
"""

from bedplate.catalog.gpus import GPUS
from bedplate.stacks.hardware.shape import Shape

SHARED = 8
"""GPUs of a system whose draw the catalogue has."""
SHEETS = "NVIDIA DGX data sheets, system power at most"


def draw(shape: Shape) -> tuple[float, bool] | None:
    """Kilowatts of one node, and whether that is all of it or its GPUs' boards alone; None where nobody says."""
    if shape.max_kw is not None:
        return shape.max_kw, True
    gpu = GPUS.get(shape.gpu) if isinstance(shape.gpu, str) else None
    if gpu is None:
        return None
    if gpu.system_kw is not None:
        return gpu.system_kw / SHARED * shape.gpus, True
    return (gpu.board_watts * shape.gpus / 1000, False) if gpu.board_watts is not None else None
