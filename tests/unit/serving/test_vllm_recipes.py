"""The arithmetic of servers, against the GPUs that vLLM's recipes say a model needs (`vllm_recipes.csv`).

A row is one recipe of vllm-project/recipes@8959cf64189c, `models/<recipe>.yaml`: so many of a GPU that a variant "fits
on", "requires" or is started on. Where it says no length, that of this stack's servers stands (8192).
"""

import csv
from pathlib import Path

import pytest

from bedplate.catalog.gpus import GPUS
from bedplate.components.serving.fit import Fit, fit
from bedplate.components.serving.models import MODELS
from bedplate.components.serving.room import Cut, card

NODE = 8
WRONG = {
    "gemma-4-31b on 1 H100": "61 GB of weights and a sampler of 262,144 words; its own guide starts it on two",
    "llama-4-scout on 1 H100": "109 GB of weights in 8 bits; its own guide says so of FP4 alone",
}
"""What a recipe says that cannot be, at vLLM's own choice of a step."""

with (Path(__file__).parent / "vllm_recipes.csv").open(encoding="utf-8") as lines:
    ROWS = {f"{row['model']} on {row['gpus']} {row['gpu']}": row for row in csv.DictReader(lines)}


def reckoned(row: dict[str, str]) -> Fit:
    """More than a node has are stages of a pipeline."""
    gpu, model, gpus = GPUS[row["gpu"]], MODELS[row["model"]], int(row["gpus"])
    cut = Cut(min(gpus, NODE), max(1, gpus // NODE))
    assert model.divides(cut.tensor)
    room = card(gpu.product, gpu.memory_gib).room(0.9, model, cut)
    return fit(model, row["precision"], cut, room, int(row["length"]))


@pytest.mark.parametrize("name", ROWS)
def test_a_model_fits_the_gpus_that_its_recipe_names(name: str) -> None:
    assert reckoned(ROWS[name]).fits is (name not in WRONG)


def test_there_are_enough_recipes_of_many_models() -> None:
    assert len(ROWS) >= 35
    assert len({row["model"] for row in ROWS.values()}) >= 20
    assert set(WRONG) <= set(ROWS)


@pytest.mark.parametrize("name", [name for name in ROWS if int(ROWS[name]["gpus"]) > 1])
def test_what_takes_several_large_gpus_does_not_fit_a_small_one(name: str) -> None:
    assert not reckoned({**ROWS[name], "gpus": "1", "gpu": "L4"}).fits
