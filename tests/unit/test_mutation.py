"""What turns our functions round does so, one thing at a time, and puts them back."""

import subprocess
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

from tests import mutation, mutation_order, mutation_scope
from tests.mutation import mutants, survivors
from tests.mutation_order import by_function
from tests.mutation_scope import differing, in_scope


def some(numbers: list[int], *, low: bool) -> list[int]:
    """Something of every kind."""
    return [one for one in numbers if one > 2 and not low] if numbers != [7] else [0]


def test_each_condition_operator_and_comparison_is_turned_round_once() -> None:
    assert mutants(some) == [
        "numbers != [7] → not numbers != [7]",
        "one > 2 and (not low) → not (one > 2 and (not low))",
        "one > 2 and (not low) → one > 2 or not low",
        "one > 2 → one >= 2",
        "one > 2 → one > 3",
        "not low → low",
    ]


def several() -> bool:
    return some([1, 3], low=False) == [3]


def another() -> bool:
    return some([7], low=False) == [0]


def test_only_what_nobody_notices_is_left_and_the_function_is_sound_again() -> None:
    assert survivors(some, [several, another]) == ["one > 2 → one >= 2"]
    assert several()
    assert another()


def test_without_a_case_every_mutant_is_left() -> None:
    assert survivors(some, []) == mutants(some)


def test_a_case_that_never_holds_notices_nothing() -> None:
    with pytest.raises(AssertionError, match="with no mutant at all"):
        survivors(some, [lambda: False])


def test_a_case_of_a_seldom_outcome_is_tried_first_and_one_that_does_not_run_the_function_never() -> None:
    def low() -> bool:
        return some([3], low=True) == []

    order = by_function([some], [several, partial(several), lambda: True, low])
    assert order[some.__code__][0] is low
    assert len(order[some.__code__]) == 3


def test_only_cases_that_hold_are_put_in_order() -> None:
    with pytest.raises(AssertionError, match="with no mutant at all"):
        by_function([some], [lambda: False])


def git(folder: Path, *words: str) -> None:
    own = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *own, *words], cwd=folder, check=True, capture_output=True)


def test_what_differs_from_its_base_is_known_committed_or_not(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    for name in ("same", "committed", "edited"):
        (tmp_path / name).write_text(name)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "base")
    assert differing(tmp_path) is None
    git(tmp_path, "update-ref", f"refs/remotes/{mutation_scope.BASE}", "HEAD")
    (tmp_path / "committed").write_text("new")
    git(tmp_path, "commit", "--quiet", "-a", "-m", "ours")
    (tmp_path / "edited").write_text("new")
    (tmp_path / "untracked").write_text("new")
    differing.cache_clear()
    assert differing(tmp_path) == {tmp_path / name for name in ("committed", "edited", "untracked")}


MODULES: list[ModuleType] = [mutation, mutation_order]


def test_at_the_desk_only_what_differs_is_turned_round_and_in_ci_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("BEDPLATE_MUTANTS", raising=False)
    changed = frozenset({Path(str(mutation.__file__)).resolve()})
    monkeypatch.setattr(mutation_scope, "differing", lambda _: changed)
    assert in_scope(MODULES) == [mutation]
    monkeypatch.setattr(mutation_scope, "differing", lambda _: None)
    assert in_scope(MODULES) == MODULES
    monkeypatch.setattr(mutation_scope, "differing", lambda _: frozenset[Path]())
    assert in_scope(MODULES) == []
    for name, value in (("CI", "true"), ("BEDPLATE_MUTANTS", "all")):
        with monkeypatch.context() as patched:
            patched.setenv(name, value)
            assert in_scope(MODULES) == MODULES
