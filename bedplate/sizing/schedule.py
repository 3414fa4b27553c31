"""Batch, steps and days of a training run."""

from dataclasses import dataclass
from math import sqrt

from bedplate.sizing.model import Trained

DAY = 86_400
SCALING = "arXiv 2001.08361 (scaling laws), C = 6ND, and attention"


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


@dataclass(frozen=True)
class Speed:
    """What a place computes."""

    gpus: int
    peak: float
    """TFLOP/s of one GPU."""
    mfu: float
    wait: float = 1.0
    """Of a pipeline's stages for the longest, 1 where they are alike."""

    @property
    def flops(self) -> float:
        """A second, of all."""
        return self.gpus * self.peak * 1e12 * self.mfu / self.wait


def seconds(model: Trained, tokens: float, sequence: int, speed: Speed) -> float:
    """Time for so many tokens in sequences of that length."""
    return model.flops(sequence) * tokens / speed.flops


def learning_rate_factor(samples: int, base: int) -> float:
    """For Adam, against a known good batch: the square root rule (arXiv 2205.10287); advice, never a law."""
    return sqrt(samples / base)
