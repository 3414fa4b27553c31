"""Batch, steps and days of a training run."""

from dataclasses import dataclass
from math import sqrt

from bedplate.sizing.model import Trained
from bedplate.sizing.place import Place

FLOPS_PER_PARAMETER = 6
"""Of one token, forward and backward (arXiv 2001.08361, section 2.1); recomputation is overhead, not progress."""
DAY = 86_400
SCALING = "arXiv 2001.08361 (scaling laws), C = 6ND"


@dataclass(frozen=True)
class Batch:
    """One optimizer step: what each rank takes at a time, how often, on how many ranks."""

    micro: int
    accumulate: int
    data: int
    sequence: int

    @property
    def samples(self) -> int:
        """Sequences of a step; tensor and pipeline ranks work on the same ones."""
        return self.micro * self.accumulate * self.data

    @property
    def tokens(self) -> int:
        """Tokens of a step."""
        return self.samples * self.sequence


def flops(model: Trained, tokens: float) -> float:
    """Floating-point operations of so many tokens."""
    return FLOPS_PER_PARAMETER * model.passed * 1e9 * tokens


def seconds(model: Trained, tokens: float, place: Place, mfu: float) -> float:
    """Time for them at a share of the peak, which must be known."""
    assert place.peak is not None  # noqa: S101 - the caller asks first
    return flops(model, tokens) / (place.gpus * place.peak * 1e12 * mfu)


def tokens_per_second(model: Trained, place: Place, mfu: float) -> float:
    """What the whole place works through."""
    return 1 / seconds(model, 1, place, mfu)


def learning_rate_factor(samples: int, base: int) -> float:
    """For Adam, against a known good batch: the square root rule (arXiv 2205.10287); advice, never a law."""
    return sqrt(samples / base)
