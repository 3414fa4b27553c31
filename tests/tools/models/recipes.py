"""What vllm-project/recipes says of a model: lengths, and the first release of vLLM that runs it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import yaml

THOUSANDS = {"T": 1000.0, "B": 1.0, "M": 0.001}


@dataclass(frozen=True)
class Recipe:
    """One model's."""

    length: int
    since: str
    billions: float


def recipes(texts: Mapping[str, str]) -> dict[str, Recipe]:
    """By repository, of the files of `models/`."""
    models = (yaml.safe_load(text)["model"] for text in texts.values())
    return {one["model_id"]: _recipe(one) for one in models if re.match(r"[\d.]+[TBM]", str(one["parameter_count"]))}


def _recipe(one: Mapping[str, object]) -> Recipe:
    count = str(one["parameter_count"])
    length = one.get("context_length") or 0
    return Recipe(int(str(length)), str(one["min_vllm_version"]), float(count[:-1]) * THOUSANDS[count[-1]])
