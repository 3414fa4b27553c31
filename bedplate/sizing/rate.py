"""How much of its peak a GPU reaches: as much as in the published run that is most like the one that is asked about.

One figure for all would be off by half: products in 4 bits wait for what is not a product, mixtures for their experts'
tokens, small models for everything. So the nearest of `catalog/data/trained.csv` stands in, and is named.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log

from bedplate.catalog.gpus import GPUS, Gpu
from bedplate.catalog.training import RUNS, Published
from bedplate.sizing.figures import ImpossibleError
from bedplate.sizing.model import Trained, trained

USUAL = 0.4
"""Of dense models in bf16, where no run is known of a GPU's architecture: 0.35 to 0.45 is usual."""
PRECISIONS = ("bf16", "fp8", "mxfp8", "mxfp4", "nvfp4")
"""Of matrix products; weights, gradients and states are as large in all of them."""
BLOCKS_SINCE = (10, 0)
"""The first compute capability that scales products by blocks (MX and NVFP4)."""
_PEAKS: dict[str, Callable[[Gpu], float | None]] = {
    "bf16": lambda gpu: gpu.bf16_tflops,
    "fp8": lambda gpu: gpu.fp8_tflops,
    "mxfp8": lambda gpu: gpu.fp8_tflops if gpu.capability >= BLOCKS_SINCE else None,
    "mxfp4": lambda gpu: gpu.fp4_tflops,
    "nvfp4": lambda gpu: gpu.fp4_tflops,
}


@dataclass(frozen=True)
class Rate:
    """Share of the peak, and why so much."""

    mfu: float
    source: str


def peak(gpu: Gpu | None, precision: str) -> float | None:
    """TFLOP/s of one GPU, dense; None where no data sheet is known here, or it has no such products."""
    return _PEAKS[precision](gpu) if gpu else None


def rate(model: Trained, gpu: Gpu | None, precision: str) -> Rate:
    """Of the nearest published run.

    Raises:
        ImpossibleError: nobody whom we know has published one in this precision.
    """
    runs = [run for run in RUNS if run.precision == precision and _mixture(run) is (model.active > 0)]
    kin = [run for run in runs if gpu and GPUS[run.gpu].family == gpu.family]
    exact = [run for run in kin if gpu and run.gpu == gpu.name]
    if precision == PRECISIONS[0] and not (kin or model.active):
        return Rate(USUAL, "usual for dense models in bf16")
    if nearest := min(exact or kin or runs, key=_far(model), default=None):
        return Rate(reached(nearest), f"as {nearest.model} on {nearest.gpus} {nearest.gpu}: {nearest.source}")
    kind = "a mixture" if model.active else "a dense model"
    raise ImpossibleError([f"--precision {precision}: no published run of {kind} is known here; say --mfu"])


def reached(run: Published) -> float:
    """Of the peak."""
    top, model = peak(GPUS[run.gpu], run.precision), trained(run.model)
    assert top is not None  # noqa: S101 - tests/unit/sizing/test_published.py holds every row
    assert model is not None  # noqa: S101 - the same
    return run.tokens * model.flops(run.sequence) / (top * 1e12)


def _mixture(run: Published) -> bool:
    model = trained(run.model)
    return model is not None and model.active > 0


def _far(model: Trained) -> Callable[[Published], float]:
    """By the parameters that a token passes through."""

    def far(run: Published) -> float:
        other = trained(run.model)
        return abs(log(model.passed / other.passed)) if other else float("inf")

    return far
