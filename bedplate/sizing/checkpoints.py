"""How often machines fail, and what to write so that little is lost."""

from dataclasses import dataclass
from math import sqrt

BYTES = 14
"""A parameter: bf16 weight, fp32 copy and two moments."""
HOURS_TO_FAILURE = 45_600
"""GPU hours between interruptions: 466 in 54 days on 16,384 GPUs (arXiv 2407.21783, Llama 3, section 3.3.4)."""
HOUR = 3600
RESTART = 600.0
"""Seconds from a failure until the job computes again."""
PARTS = "bf16 weights, fp32 states"
YOUNG = "√(2·δ·MTBF): Young 1974, Daly 2006"
LLAMA = "arXiv 2407.21783 (Llama 3), section 3.3.4: 466 interruptions in 54 days of 16,384 GPUs"


@dataclass(frozen=True)
class Checkpoints:
    """Sizes in GB, times in seconds."""

    size: float
    stall: float
    """How long one write stops the job."""
    mtbf: float
    interval: float
    restart: float

    @property
    def lost(self) -> float:
        """Share of the time that writing, repeating and restarting take."""
        return self.stall / self.interval + (self.interval / 2 + self.restart) / self.mtbf


def size(billions: float) -> float:
    """One whole checkpoint."""
    return billions * BYTES


def mtbf(gpus: int) -> float:
    """Seconds between interruptions of a job on so many GPUs."""
    return HOURS_TO_FAILURE / gpus * HOUR


def plan(billions: float, gpus: int, *, write_gbs: float | None, stall: float, hours: float = 0) -> Checkpoints:
    """By the rates of storage and failures that were measured, else by the stall that is allowed and Llama 3's rate."""
    gigabytes = size(billions)
    written = gigabytes / write_gbs if write_gbs else stall
    between = hours * HOUR or mtbf(gpus)
    return Checkpoints(gigabytes, written, between, sqrt(2 * written * between), RESTART)
