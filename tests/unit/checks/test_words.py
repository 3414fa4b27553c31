"""The words of the problems in `stacks/profile/problems/`: each has its check, and is given just what it speaks of."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from string import Formatter

import pytest

from bedplate.stacks.profile.problem import PROBLEMS, problem, words
from tests.rooms import ROOT

PARTS = ("key", "reason", "fix")


@cache
def calls() -> dict[str, list[set[str]]]:
    """What each problem that a check names is given, place by place."""
    given: dict[str, list[set[str]]] = defaultdict(list)
    for name, names in _calls():
        given[name].append(names)
    return given


def _calls() -> Iterator[tuple[str, set[str]]]:
    for path in (ROOT / "stacks").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(func=ast.Name("problem"), args=[ast.Constant(str(name)), *more], keywords=named):
                    yield name, {str(each.arg) for each in named} | ({"key"} if len(more) > 1 else set())
                case _:
                    pass


def written() -> dict[str, dict[str, str]]:
    """The words of every problem."""
    subjects = sorted(path.stem for path in PROBLEMS.glob("*.toml"))
    return {f"{subject}.{name}": dict(said) for subject in subjects for name, said in words(subject).items()}


def asked(said: dict[str, str]) -> set[str]:
    """The names that they have to be filled with."""
    fields = (field for part in PARTS for _, field, _, _ in Formatter().parse(said[part]))
    return {re.split(r"[.\[]", field)[0] for field in fields if field is not None}


def test_every_problem_has_its_words_and_all_words_belong_to_one() -> None:
    assert set(calls()) == set(written())


@pytest.mark.parametrize("name", written())
def test_words_are_given_what_they_speak_of_and_nothing_else(name: str) -> None:
    said = written()[name]
    assert tuple(said) == PARTS
    assert all(given == asked(said) for given in calls()[name])


def test_items_of_a_list_are_named_with_a_word_between_them() -> None:
    said = problem("monitoring.vllm-stack-at-google", "vllm-stack", "serving.servers[0]")
    assert said.key == "serving.servers[0].kind"
    assert "use a, b" in str(problem("fabric.not-on-platform", "efa", profile=_Named("gke"), possible=["a", "b"]))


class _Named:
    def __init__(self, platform: str) -> None:
        self.platform = platform
