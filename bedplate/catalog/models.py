"""Language models: the sizes that decide where one fits and how it can be divided (`data/models.csv`).

Read by machine from the models' own `config.json` where public repositories have it (`python -m tests.tools.models`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bedplate.catalog import table
from bedplate.catalog.sources import SOURCES


@dataclass(frozen=True)
class Listed:
    """One model; `data/columns.csv` says what each field is. None is what nobody has said, or what it has not."""

    name: str
    repository: str
    billions: float
    expert_billions: float
    layers: int
    heads: int
    kv_heads: int | None
    head_dim: int | None
    latent: int | None
    hidden: int | None
    vocabulary: int | None
    tied: bool | None
    windowed: int
    window: int | None
    window_kv_heads: int | None
    window_head_dim: int | None
    linear: int
    state_bytes: int | None
    state_heads: int | None
    bare: int
    expert_width: int | None
    widths: tuple[int, ...]
    fp8_block: int | None
    max_length: int | None
    remote_code: bool | None
    """It starts with the repository's own code alone; None also where that is so of old releases of vLLM."""
    code_before: tuple[int, ...] | None
    """The first release of vLLM that starts it without that code."""
    float16: bool | None
    since: tuple[int, ...] | None
    """The first release of vLLM that is known to run it."""
    gated: bool
    architecture: str | None
    type: str | None
    source: str


def _listed(row: table.Row) -> Listed:
    return table.made(
        Listed,
        row,
        **{name: table.whole(row[name]) for name in ("windowed", "linear", "bare")},
        widths=tuple(map(int, table.words(row["widths"]))),
        code_before=table.numbers(row["remote_code"]) or None,
        since=table.numbers(row["vllm"]) or None,
        source=f"{row['repository']} config.json, by {SOURCES[row['source']].text}",
    )


FACTS = (
    *("billions", "expert_billions", "layers", "heads", "windowed", "linear", "bare", "widths", "remote_code"),
    *("float16", "architecture", "kv_heads", "head_dim", "latent", "window", "window_kv_heads", "window_head_dim"),
    *("state_bytes", "state_heads", "hidden", "vocabulary", "expert_width", "fp8_block", "max_length"),
)
"""What a row says as the facts of a profile's model do, under the same names."""


def fact_names(listed: Listed) -> dict[str, Any]:
    """The facts of a row by name."""
    return {**{name: getattr(listed, name) for name in FACTS}, "tied": bool(listed.tied)}


MODELS: Mapping[str, Listed] = {row["name"]: _listed(row) for row in table.read("models")}
_STEM = re.compile(r"[\w.-]+/[A-Za-z]+(-\d+(?!\d*[bB]))?")
"""Whose it is, the first word of its name and its generation: `meta-llama/Llama-3`, `google/gemma-3`."""
_GATED = {stem[0] for one in MODELS.values() if one.gated and (stem := _STEM.match(one.repository))}


def gated(repository: str) -> bool:
    """Whether the hub is known to ask who downloads a repository, or others of its name and generation."""
    stem = _STEM.match(repository)
    if stem is None or stem[1]:
        return stem is not None and stem[0] in _GATED
    return any(one == stem[0] or one.startswith(f"{stem[0]}-") for one in _GATED)
