"""Why a job is where it is: a cause of a fixed list, and a sentence."""

from dataclasses import dataclass
from typing import Literal

Cause = Literal[
    "quota",
    "topology",
    "gang",
    "priority",
    "image",
    "admission",
    "nodes",
    "volume",
    "network",
    "program",
    "starting",
    "running",
    "finished",
]


@dataclass(frozen=True)
class Reason:
    """Why a job is where it is."""

    cause: Cause
    text: str

    def __str__(self) -> str:
        """One line: `quota: queue team-a has too little left: ...`."""
        return f"{self.cause}: {self.text}"
