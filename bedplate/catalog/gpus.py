"""GPU models: what a node reports of them, what they compute and draw, and how they can be cut (`data/gpus.csv`)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bedplate.catalog import table


@dataclass(frozen=True)
class Gpu:
    """One model; `data/columns.csv` says what each field is. None: not published."""

    name: str
    product: str
    other_products: tuple[str, ...]
    family: str
    capability: tuple[int, int]
    memory_gib: int
    visible_gib: float | None
    """`cudaDeviceProp.totalGlobalMem`."""
    form: str
    nvlink: int
    """1: none."""
    bf16_tflops: float
    fp8_tflops: float | None
    fp4_tflops: float | None
    board_watts: int | None
    system_kw: float | None
    least_driver: tuple[int, ...]
    """Empty: older than any that we install."""
    inside_gbs: int | None
    mig: Mapping[str, int]
    pci: tuple[str, ...]

    @property
    def products(self) -> tuple[str, ...]:
        """Every value of the label."""
        return (self.product, *self.other_products)

    @property
    def rack(self) -> bool:
        """NVLink joins the nodes of a rack."""
        return self.nvlink > LARGEST_NODE

    @property
    def stem(self) -> str:
        """The model without its memory and form: `A100` of `A100-PCIe-80`, `RTX-PRO-6000` as it is."""
        return self.name if self.name.startswith("RTX") else self.name.split("-")[0]


LARGEST_NODE = 16
"""GPUs; NVLink over more joins nodes."""
WHOLE_NODE = 8
"""GPUs of the node that `inside_gbs` was measured on."""

GPUS: Mapping[str, Gpu] = {row["name"]: table.made(Gpu, row) for row in table.read("gpus")}
_BY_PRODUCT: Mapping[str, Gpu] = {product: gpu for gpu in GPUS.values() for product in gpu.products}


def of_product(product: str) -> Gpu | None:
    """The model that a node's label names."""
    return _BY_PRODUCT.get(product)


def like(product: str) -> tuple[Gpu, ...]:
    """The models whose name stands in a label, the longest name alone: `NVIDIA-H100` is like every H100.

    An `A1000` is no `A100`, and a `GH200` no `H200`.
    """
    stems = {gpu.stem for gpu in GPUS.values() if re.search(rf"(?<![A-Z0-9]){gpu.stem}(?!\d)", product)}
    longest = max(stems, key=len, default="")
    return tuple(gpu for gpu in GPUS.values() if gpu.stem == longest)


def near(product: str) -> Gpu | None:
    """The model that a label names, or its nearest kin; None where the catalogue has none."""
    return of_product(product) or next(iter(like(product)), None)


def family(product: str) -> str:
    """The architecture of what a label names, also of a board that we do not list; empty where it cannot be told."""
    if gpu := near(product):
        return gpu.family
    return next((family for family in {gpu.family for gpu in GPUS.values()} if family in product.lower()), "")


def least_driver(product: str) -> tuple[int, ...]:
    """The first driver that knows it, or the first that knows any of its architecture; empty: any of today's."""
    if gpu := near(product):
        return gpu.least_driver
    kin = family(product)
    return min((gpu.least_driver for gpu in GPUS.values() if gpu.family == kin), default=())


def inside(product: str | None, gpus: int, joined: int) -> int:
    """GB/s that the GPUs of one node must reach by NVLink, where all eight share it; 0: nobody has published it."""
    gpu = of_product(product or "")
    return (gpu.inside_gbs or 0) if gpu and gpus == joined == WHOLE_NODE else 0
