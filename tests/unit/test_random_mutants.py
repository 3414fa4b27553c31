"""The tool that runs random mutants picks the same ones again, changes one thing in each, and puts it in place."""

from types import FunctionType

import pytest

from bedplate.cluster import watch
from bedplate.evidence import images_command
from bedplate.jobs import volcano, why
from tests.tools.mutants import compiled, functions, mutants, mutate, picked


def test_one_seed_picks_the_same_mutants_and_another_seed_others() -> None:
    first, again, other = (picked([volcano, why], 5, seed) for seed in (1, 1, 2))
    assert len(first) == len({function for function, _, _ in first}) == 5
    assert first == again != other


def test_of_what_is_wrapped_the_inner_function_is_taken_and_of_a_protocol_nothing_of_typing() -> None:
    found = [*functions(images_command), *functions(watch)]
    assert {"main", "until"} <= {one.__name__ for one in found}
    assert not [one for one in found if one.__code__.co_freevars]
    assert {one.__module__ for one in found} == {images_command.__name__, watch.__name__}


def test_comparisons_conditions_numbers_and_keys_are_changed() -> None:
    texts = [text for function in functions(volcano) for _, _, text in mutants(function)]
    for change in (
        "stuck > scheduled → stuck >= scheduled",
        "origin → not origin",
        "1 → 2",
        "'phase' → 'phase_'",
    ):
        assert any(change.partition(" → ")[0] in text and change.partition(" → ")[2] in text for text in texts), change


def test_a_mutant_runs_in_the_place_of_its_function_method_or_property() -> None:
    group = {"metadata": {"name": "g"}, "spec": {"queue": "team"}, "status": {"phase": "Pending"}}
    sound = volcano.explain.__code__
    (mutant,) = (one for one in mutants(_function(volcano.explain)) if one[2] == "'phase' → 'phase_'")
    try:
        mutate(mutant)
        assert volcano.explain({**group, "status": {"phase": "Running"}}) is not None
    finally:
        volcano.explain.__code__ = sound
    assert volcano.explain({**group, "status": {"phase": "Running"}}) is None


def test_what_is_compiled_anew_without_a_change_does_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    code = compiled(_function(volcano.explain), lambda _: None)
    assert code.co_names == volcano.explain.__code__.co_names


def _function(value: object) -> FunctionType:
    assert isinstance(value, FunctionType)
    return value
