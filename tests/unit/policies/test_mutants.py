"""The fixtures notice whatever is turned round in a rule or in what rules share, and when a rule is gone."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from types import FunctionType

import pytest

from bedplate.policies import rules
from bedplate.policies.judging import judge as judging
from bedplate.policies.rule import REGISTRY, Rule
from tests.mutation import functions, modules, mutants, name, survivors
from tests.mutation_scope import in_scope
from tests.unit.policies.case import Break, Case, Docs, uncertain
from tests.unit.policies.cases_mending import FIXES, LEFT, mended_once
from tests.unit.policies.test_rules import BREAKS, CASES, UNKNOWABLE, unknown_yet

# Mutants that change nothing which one can see, each with the reason.
PATCH = "a release has three numbers, so that none equals two"
UNEQUAL = "the two differ, or nothing is said at all"
EQUIVALENT = {
    "nodes > workload.nodes → nodes >= workload.nodes": UNEQUAL,
    "per_node > pod.gpus → per_node >= pod.gpus": UNEQUAL,
    "ranks(container) > total → ranks(container) >= total": UNEQUAL,
    "ranks > room → ranks >= room": UNEQUAL,
    "0 < total < attached → 0 < total <= attached": UNEQUAL,
    "release.numbers >= NIC_POLICY_MOVED → release.numbers > NIC_POLICY_MOVED": PATCH,
    "release.numbers < KEY_BY_TYPE → release.numbers <= KEY_BY_TYPE": PATCH,
    "release.numbers >= MONITOR_BY_DEFAULT → release.numbers > MONITOR_BY_DEFAULT": PATCH,
    "release.numbers >= MADE_BY_HAND → release.numbers > MADE_BY_HAND": PATCH,
    "_last(each[1]) > _last(widest[1]) → _last(each[1]) >= _last(widest[1])": "what overlaps one overlaps the other as well",
    "share > room → share >= room": "products of fractions, which do not meet to the last bit",
}


@cache
def silent(rule: str) -> list[tuple[Case, Docs]]:
    """What a rule says nothing about: what is right, and what is not known yet."""
    cases = [case for case in CASES if case.rule == rule]
    right = [(case, case.docs) for case in cases]
    unknown = [(case, docs) for case in cases for _, docs in uncertain(case)]
    return [*right, *unknown, *((case, unknown_yet(case, change)) for case, change in UNKNOWABLE if case.rule == rule)]


@cache
def broken(rule: str) -> list[tuple[Case, Docs, Break]]:
    """What a rule refuses, and how."""
    return [(case, case.broken(change), change) for case, change in BREAKS if case.rule == rule]


@cache
def held(rule: str) -> list[Callable[[], bool]]:
    """Whether each of its fixtures holds: what it refuses first, and each case is made once."""
    return [
        *(partial(_refused, *one) for one in broken(rule)),
        *(partial(_silent, *one) for one in silent(rule)),
        *(partial(_mends, *one) for one in FIXES if one[0] == rule),
        *(partial(_mends, *one, one[1]) for one in LEFT if one[0] == rule),
    ]


def _mends(rule: str, before: str, after: str) -> bool:
    return mended_once(rule, before) == after


def _refused(case: Case, docs: Docs, change: Break) -> bool:
    return change.is_in(case.complaints(docs))


def _silent(case: Case, docs: Docs) -> bool:
    return case.complaints(docs) == []


@pytest.fixture
def swapped(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Rule], None]]:
    """Run another rule in the place of the one with its id."""

    def swap(rule: Rule) -> None:
        others = [each if each.id != rule.id else rule for each in REGISTRY.values()]
        monkeypatch.setattr(judging, "RULES", tuple(others))
        judging._index.cache_clear()  # noqa: SLF001 (its own test)

    yield swap
    monkeypatch.undo()
    judging._index.cache_clear()  # noqa: SLF001 (its own test)


@pytest.mark.parametrize("rule", list(REGISTRY))
def test_a_rule_that_says_nothing_is_noticed(rule: str, swapped: Callable[[Rule], None]) -> None:
    swapped(replace(REGISTRY[rule], check=lambda *_: iter(())))
    assert not all(case() for case in held(rule))


def judged_by(function: FunctionType) -> list[str]:
    """The rule that a function is, or all rules of its module, which share it."""
    own = [rule.id for rule in REGISTRY.values() if rule.check is function]
    return own or [rule.id for rule in REGISTRY.values() if rule.check.__module__ == function.__module__]


@pytest.mark.parametrize("function", functions(*in_scope(modules(rules))), ids=name)
def test_whatever_is_turned_round_in_a_rule_some_fixture_shows_it(function: FunctionType) -> None:
    left = survivors(function, chain.from_iterable(map(held, judged_by(function))))
    assert [what for what in left if what not in EQUIVALENT] == []


def test_every_mutant_that_is_let_go_is_one() -> None:
    every = {what for function in functions(*modules(rules)) for what in mutants(function)}
    assert set(EQUIVALENT) - every == set()
