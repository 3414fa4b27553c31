"""What turns our functions round does so, one thing at a time, and puts them back."""

from functools import partial

import pytest

from tests.mutation import mutants, survivors
from tests.mutation_order import by_function


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
