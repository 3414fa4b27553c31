"""Which cases run a function, and in which order they notice its mutants soonest.

A mutant is noticed by a case in which its function does what it seldom does. So the cases of a function are grouped
by what it returned or yielded in them, and tried in turns: one of each group, the smallest group first.
"""

import sys
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from itertools import chain, zip_longest
from types import CodeType, FrameType, FunctionType

from tests.mutation import Case

Outcome = frozenset[Hashable]


def by_function(functions: Iterable[FunctionType], cases: Iterable[Case]) -> dict[CodeType, list[Case]]:
    """The cases that run each function, by its code, as they should be tried; every case holds."""
    groups: dict[CodeType, dict[Outcome, list[Case]]] = {one.__code__: defaultdict(list) for one in functions}
    for case in cases:
        for code, outcome in _outcomes(case, set(groups)).items():
            groups[code][outcome].append(case)
    return {code: list(_in_turns(found.values())) for code, found in groups.items()}


def _outcomes(case: Case, codes: set[CodeType]) -> dict[CodeType, Outcome]:
    seen: dict[CodeType, set[Hashable]] = defaultdict(set)

    def note(frame: FrameType, event: str, value: object) -> None:
        if event == "return" and frame.f_code in codes:
            seen[frame.f_code].add(_kind(value))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        holds = case()
    finally:
        sys.setprofile(before)
    assert holds, "what should hold does not, with no mutant at all"
    return {code: frozenset(kinds) for code, kinds in seen.items()}


def _kind(value: object) -> Hashable:
    """What a value is, as far as that is cheap to say."""
    return value if isinstance(value, int | str) else (type(value), bool(value))


def _in_turns(groups: Iterable[list[Case]]) -> Iterator[Case]:
    turns = zip_longest(*sorted(groups, key=len))
    return (case for case in chain.from_iterable(turns) if case is not None)
