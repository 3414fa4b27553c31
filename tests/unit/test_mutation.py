"""What turns our functions round does so, one thing at a time, and puts them back."""

from tests.mutation import mutants, survivors


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


def test_only_what_nobody_notices_is_left_and_the_function_is_sound_again() -> None:
    def holds() -> bool:
        return some([1, 3], low=False) == [3] and some([7], low=False) == [0]

    assert survivors(some, holds) == ["one > 2 → one >= 2"]
    assert holds()
