"""Published recipes of servers, each taken, or refused with the reason and no other."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from bedplate.stacks.checks.check import check
from bedplate.stacks.profile.profile import Profile
from tests.stack_files import document
from tests.tools.golden_objects import PROFILES
from tests.unit.checks.case import edited

RECIPES = yaml.safe_load(Path(__file__).with_name("recipes.yaml").read_text(encoding="utf-8"))["recipes"]


def kept(name: str) -> dict[str, Any]:
    return yaml.safe_load((PROFILES / f"{name}.yaml").read_text(encoding="utf-8"))


LONG = {"tenancy.longestGrace": 3600}
"""Answers of 16,384 tokens and more take longer to finish than ten minutes."""
BASES: Mapping[str, tuple[Any, dict[str, Any]]] = {
    "h200": (kept("pair-h200-ib"), LONG),
    "a3mega": (document("gke-a3-mega"), LONG),
    "g6": (kept("eks-g6e-inference"), {"pools.1.shape": "g6.24xlarge", "training": {"leaderWorkerSet": {}}}),
}


def lines(recipe: Mapping[str, Any]) -> list[str]:
    base, changes = BASES[recipe["base"]]
    servers = [{key: value for key, value in one.items() if value is not None} for one in recipe["servers"]]
    try:
        return [
            str(fault)
            for fault in check(Profile.model_validate(edited(base, {**changes, "serving": {"servers": servers}})))
        ]
    except ValidationError as refusal:
        return [f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in refusal.errors()]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe["name"])
def test_a_published_recipe_is_right_or_refused_with_the_reason(recipe: Mapping[str, Any]) -> None:
    said, refused = lines(recipe), recipe.get("refused", [])
    assert len(said) == len(refused), said
    assert all(any(all(word in line for word in words) for line in said) for words in refused), said


def test_a_dozen_recipes_of_five_projects_are_kept() -> None:
    assert len(RECIPES) >= 12
    assert len({recipe["source"].split("/")[0] for recipe in RECIPES} - {"the same"}) == 5
