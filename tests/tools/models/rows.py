"""Rows of the table from what each source knows; the first that knows a repository gives its sizes."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bedplate.catalog import table
from bedplate.catalog.configs.reading import facts, length, text_of
from tests.tools.catalog.read import Clones
from tests.tools.models.engine import ENGINE, LATER, Engine, engine
from tests.tools.models.litgpt import configs
from tests.tools.models.recipes import Recipe, recipes

CONFIGS, LITGPT, RECIPES = "aiconfigurator", "litgpt", "vllm-recipes"
"""Keys of `data/sources.csv`."""
NOT_LITGPT = re.compile(
    r"google/gemma-3-1b|mistralai/Mistral-Large|microsoft/Phi-3\.5|Qwen/QwQ|Qwen/Qwen2\.5-[\d.]+B-Instruct$"
)
"""Whose `block_size` there is the length that it trains with, or a base model's, and not the repository's own."""
GATED = ("meta-llama/", "google/gemma-2", "google/gemma-3", "CohereLabs/")
"""Whose licence must be accepted on the hub (key `hub-terms`)."""
QUANTISED = "nvidia/{}-NVFP4"
"""A repository of the same sizes, where the model's own is not at hand."""
OWN_TOKENIZER = {"kimi_k2", "kimi_k25"}
"""Types whose tokenizer is code of the repository, also where their configuration is vLLM's own
(vllm-project/recipes models/moonshotai: --trust-remote-code; v0.32.0 vllm/tokenizers/registry.py has none for them)."""
YES, NO = "yes", "no"
SIZES = (
    *("billions", "expert_billions", "layers", "heads", "kv_heads", "head_dim", "latent", "windowed", "window"),
    *("window_kv_heads", "window_head_dim", "linear", "state_bytes", "state_heads", "bare", "hidden", "vocabulary"),
    *("tied", "expert_width", "widths"),
)
"""Columns that one config says."""


@dataclass(frozen=True)
class Sources:
    """Everything that is read."""

    hub: Mapping[str, Mapping[str, Any]]
    """A repository's own `config.json`."""
    lit: Sequence[tuple[Any, Mapping[str, Any]]]
    told: Mapping[str, Recipe]
    engine: Engine

    def config(self, repository: str) -> tuple[Mapping[str, Any], str] | None:
        """A repository's sizes, and who says so."""
        for name in (repository, QUANTISED.format(repository.partition("/")[2])):
            if found := next((config for key, config in self.hub.items() if key.lower() == name.lower()), None):
                return found, CONFIGS
        return next(((config, LITGPT) for pattern, config in self.lit if pattern.fullmatch(repository)), None)

    def blocks(self, kind: str) -> str:
        """The block of a kind's FP8 repositories; unknown where none is at hand."""
        found = (one.get("quantization_config") or {} for one in self.hub.values() if one.get("model_type") == kind)
        sizes = {str(one["weight_block_size"][0]) for one in found if one.get("weight_block_size")}
        return sizes.pop() if len(sizes) == 1 else table.UNKNOWN


def read(clones: Clones, wheels: Path) -> Sources:
    """All sources at the commits of `data/sources.csv`."""
    files = {path: text for path, text in clones.texts(CONFIGS).items() if path.endswith("_config.json")}
    hub = {_repository(path): json.loads(text) for path, text in files.items() if "hf_quant" not in path}
    return Sources(hub, list(configs(clones.text(LITGPT))), recipes(clones.texts(RECIPES)), engine(wheels))


def _repository(path: str) -> str:
    return path.rpartition("/")[2].removesuffix("_config.json").replace("--", "/", 1)


def written(rows: Sequence[table.Row], new: Mapping[str, str], clones: Clones, wheels: Path) -> list[table.Row]:
    """The table with what the sources know, and new rows at its end.

    Raises:
        LookupError: a new one is there already, or its sizes are in no source that is read here.
    """
    columns, sources = list(rows[0]), read(clones, wheels)
    begun = [dict.fromkeys(columns, table.UNKNOWN) | {"name": name, "repository": at} for name, at in new.items()]
    if twice := sorted(new.keys() & {row["name"] for row in rows}):
        raise LookupError(f"{', '.join(twice)}: the table has it")
    if lacking := [f"{name}={at}" for name, at in new.items() if sources.config(at) is None]:
        raise LookupError(
            f"{', '.join(lacking)}: in none of {CONFIGS}, {LITGPT}; a profile takes `model: {{config: FILE}}`"
        )
    return [{**row, **dict(_said(row, sources))} for row in (*rows, *begun)]


def _said(row: table.Row, sources: Sources) -> Iterator[tuple[str, str]]:
    """What is known of a row; of one whose config is not at hand, what follows from its kind and its recipe."""
    recipe = sources.told.get(row["repository"])
    config, source = sources.config(row["repository"]) or ({"model_type": row["type"]}, "")
    text = text_of(config)
    if source:
        yield from _sizes(config)
        yield "source", source
    if config["model_type"] != table.UNKNOWN:
        yield from _kind(config, sources, recipe)
    yield from _length(row["repository"], text, source, recipe)
    if row["repository"].startswith(GATED):
        yield "gated", YES


def _length(repository: str, text: Mapping[str, Any], source: str, recipe: Recipe | None) -> Iterator[tuple[str, str]]:
    """Its own config first, then the recipe, and of a training library what is not that library's own choice."""
    own = str(length(text) or table.UNKNOWN)
    if source == CONFIGS:
        yield from (("max_length", own), ("length_source", CONFIGS))
    elif recipe and recipe.length:
        yield from (("max_length", str(recipe.length)), ("length_source", RECIPES))
    elif source == LITGPT and own != table.UNKNOWN and not NOT_LITGPT.match(repository):
        yield from (("max_length", own), ("length_source", LITGPT))


def _sizes(config: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The columns that follow from the sizes alone, as a profile reads them of a file."""
    read = facts(config)
    for name in SIZES:
        yield name, _cell(read[name])
    if read["architecture"]:
        yield "architecture", read["architecture"]


def _cell(value: object) -> str:
    match value:
        case bool():
            return YES if value else NO
        case float():
            return f"{value:.5g}"
        case tuple():
            return " ".join(map(str, value)) or table.NONE  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        case None:
            return table.NONE
        case _:
            return str(value)


def _kind(config: Mapping[str, Any], sources: Sources, recipe: Recipe | None) -> Iterator[tuple[str, str]]:
    """The columns that follow from the kind of the model."""
    kind = config["model_type"]
    yield "type", kind
    yield "fp8_block", sources.blocks(kind)
    yield "float16", NO if kind in sources.engine.wide else YES
    own, runs = kind in sources.engine.native, bool(set(config.get("architectures", ())) & sources.engine.classes)
    if own or not (runs or "auto_map" in config):
        yield "remote_code", NO
    else:
        yield "remote_code", LATER if kind in sources.engine.later - OWN_TOKENIZER else YES
    if own or runs:
        yield "vllm", ENGINE
    elif recipe:
        yield "vllm", recipe.since
