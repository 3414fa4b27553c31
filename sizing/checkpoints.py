"""How often machines fail, and what to write so that little is lost."""

from dataclasses import dataclass
from math import sqrt

BYTES = 14
"""A parameter: bf16 weight, fp32 copy and two moments."""
HOURS_TO_FAILURE = 45_600
"""GPU hours between interruptions: 466 in 54 days on 16,384 GPUs (arXiv 2407.21783, Llama 3, section 3.3.4)."""
HOUR = 3600
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


def plan(billions: float, gpus: int, *, write_gbs: float | None, stall: float, restart: float = 600) -> Checkpoints:
    """By the rate of the storage where it is known, else by the stall that is allowed."""
    gigabytes = size(billions)
    written = gigabytes / write_gbs if write_gbs else stall
    return Checkpoints(gigabytes, written, mtbf(gpus), sqrt(2 * written * mtbf(gpus)), restart)
