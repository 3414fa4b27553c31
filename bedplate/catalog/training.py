"""What training needs of models and what others reached: experts of mixtures, and runs whose rate was published."""

from collections.abc import Mapping
from dataclasses import dataclass

from bedplate.catalog import table
from bedplate.catalog.sources import SOURCES

EXPERTS: Mapping[str, tuple[int, int]] = {
    row["name"]: (int(row["experts"]), int(row["passed"])) for row in table.read("experts")
}
"""Routed experts of a layer, and how many of them a token passes through, by model."""


@dataclass(frozen=True)
class Published:
    """One run (`data/trained.csv`)."""

    model: str
    gpu: str
    precision: str
    """bf16, fp8 (scaled by tensor), mxfp8 or nvfp4: of the matrix products."""
    gpus: int
    sequence: int
    """Tokens."""
    tokens: float
    """A second, of one GPU."""
    source: str


RUNS: tuple[Published, ...] = tuple(
    table.made(Published, row, source=SOURCES[row["source"]].text) for row in table.read("trained")
)
