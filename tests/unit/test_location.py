"""A message names the place in the YAML, whatever the keys of a map are called."""

from typing import Any, get_args

import pytest
from pydantic import BaseModel, ValidationError

from bedplate.components.workload.job import TrainingJob
from bedplate.stacks.load import load
from bedplate.stacks.profile.models import yaml_path
from bedplate.stacks.profile.problem import ProfileError
from bedplate.stacks.profile.profile import Profile
from tests.stack_files import document

ROCE, L40S = "onprem-h100-roce", "inference-l40s"


def tags(model: type[BaseModel], seen: frozenset[type] = frozenset()) -> set[str]:
    """Every `kind` in the profile."""
    kind = model.model_fields.get("kind")
    found = set(map(str, get_args(kind.annotation))) if kind else set()
    for field in model.model_fields.values():
        for inner in classes(field.annotation):
            if inner not in seen:
                found |= tags(inner, seen | {model, inner})
    return found


def classes(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type):
        return [annotation] if issubclass(annotation, BaseModel) else []
    return [one for argument in get_args(annotation) for one in classes(argument)]


def places(profile: dict[str, Any], model: type[BaseModel] = Profile) -> list[str]:
    with pytest.raises(ValidationError) as wrong:
        model.model_validate(profile)
    return [yaml_path(error["loc"], model) for error in wrong.value.errors()]


@pytest.mark.parametrize("word", sorted(tags(Profile) | {"str", "Shape", "Model", "function-x", "constrained-str"}))
def test_a_maps_key_is_named_even_if_it_is_also_the_name_of_a_kind(word: str) -> None:
    profile = document(ROCE)
    profile["pools"][1] |= {"labels": {word: 1}, "selector": {word: []}, "mig": {word: 0}}
    profile["tenancy"]["teams"][0]["gpus"] = {word: -1}
    profile["scheduling"] |= {word: 1}

    expected = {f"pools[1].labels.{word}", f"pools[1].selector.{word}", f"pools[1].mig.{word}", f"scheduling.{word}"}
    assert set(places(profile)) == expected | {f"tenancy.teams[0].gpus.{word}"}


def test_what_picks_the_member_of_a_union_is_no_part_of_the_path() -> None:
    profile = document(L40S)
    server = {"kind": "vllm", "weights": {"kind": "volume", "volume": 1}, "model": {"heads": "x"}}
    profile["serving"]["servers"] = [server]
    profile["fabric"] = {"kind": "roce", "ipam": {"kind": "nv-ipam", "network": "x"}, "roce": 1}
    profile["pools"][0] |= {"shape": {"gpus": "eight"}, "capacity": {"kind": "on-demand", "x": 1}}

    found = places(profile)

    assert {"fabric.roce", "fabric.ipam.network", "pools[0].shape", "pools[0].shape.gpus"} <= set(found)
    assert {"serving.servers[0].weights.volume", "serving.servers[0].model.heads"} <= set(found)
    assert not {path for path in found if ".vllm" in path or ".volume." in path or "Shape" in path or ".str" in path}


def test_a_wrong_key_of_a_map_is_named_as_it_stands() -> None:
    profile = document(ROCE)
    profile["pools"][1]["labels"] = {1: "x"}
    assert places(profile) == ["pools[1].labels.1"]


def test_a_job_is_read_along_its_own_model() -> None:
    job = {"kind": "JobSet", "env": {"kueue": 1}, "annotations": {"str": 2}, "volumes": [{"claim": 3}]}
    assert {"env.kueue", "annotations.str", "volumes[0].claim"} <= set(places(job, TrainingJob))


def test_the_line_that_a_user_reads_has_the_whole_path() -> None:
    profile = document(ROCE)
    profile["tenancy"]["teams"][0]["gpus"] = {"kueue": -1}
    with pytest.raises(ProfileError, match=r"^x: tenancy.teams\[0\].gpus.kueue = -1: "):
        load(profile, "x")
