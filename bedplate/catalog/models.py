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
    """One model; None is what nobody has said."""

    name: str
    repository: str
    """On the Hugging Face hub."""
    billions: float
    """Parameters, in 10⁹."""
    expert_billions: float
    """Those of them that are routed experts."""
    layers: int
    heads: int
    kv_heads: int | None
    """None: a latent cache."""
    head_dim: int | None
    latent: int | None
    hidden: int | None
    vocabulary: int | None
    tied: bool | None
    """The output layer is the embedding."""
    windowed: int
    """Layers that keep the last tokens alone."""
    window: int | None
    window_kv_heads: int | None
    window_head_dim: int | None
    linear: int
    """Layers with a state instead of a cache."""
    state_bytes: int | None
    state_heads: int | None
    bare: int
    """Layers with neither."""
    expert_width: int | None
    widths: tuple[int, ...]
    """Intermediate sizes of layers without experts and of shared experts."""
    fp8_block: int | None
    max_length: int | None
    """Tokens."""
    remote_code: bool | None
    """It starts with the repository's own code alone; None also where that is so of old releases of vLLM."""
    code_before: tuple[int, ...] | None
    """The first release of vLLM that starts it without that code."""
    float16: bool | None
    """vLLM runs it in float16."""
    since: tuple[int, ...] | None
    """The first release of vLLM that is known to run it."""
    gated: bool
    """The hub is known to ask who downloads it."""
    architecture: str | None
    """The class of the engine that runs it."""
    type: str | None
    """`model_type` of its config."""
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
