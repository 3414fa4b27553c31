"""The fixtures notice when any condition of any rule is turned round, and when a rule is gone."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any

import pytest

from policies import judge as judging
from policies.rule import REGISTRY, Rule
from tests.unit.policies.case import Case
from tests.unit.policies.test_rules import CASES

# Conditions that only spare work, or that another one implies: turned round, they change nothing that one can see.
EQUIVALENT: frozenset[tuple[str, str]] = frozenset()


def conditions(function: Callable[..., Any]) -> list[ast.expr]:
    """Every test of an `if` in a rule's own function, in source order."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    return [node.test for node in ast.walk(tree) if isinstance(node, ast.If)]


class Invert(ast.NodeTransformer):
    """Turns the nth `if` of a function round, and drops its decorator."""

    def __init__(self, place: int) -> None:
        self.place = place
        self.seen = -1

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list = []
        tests = [each for each in ast.walk(node) if isinstance(each, ast.If)]
        chosen = tests[self.place]
        chosen.test = ast.UnaryOp(ast.Not(), chosen.test)
        return node


def mutant(function: Callable[..., Any], place: int) -> Callable[..., Any]:
    """The function with one condition turned round, in its own module's namespace."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    changed = ast.fix_missing_locations(Invert(place).visit(tree))
    namespace = dict(vars(import_module(function.__module__)))
    exec(compile(changed, function.__module__, "exec"), namespace)  # noqa: S102 (our own source)
    return namespace[function.__name__]


@cache
def cases_of(rule: str) -> tuple[Case, ...]:
    return tuple(case for case in CASES if case.rule == rule)


def satisfied(rule: str) -> bool:
    """Whether the fixtures of a rule hold."""
    return all(
        case.complaints(case.docs) == []
        and all(
            any(change.message in verdict.message for verdict in case.complaints(case.broken(change)))
            for change in case.breaks
        )
        for case in cases_of(rule)
    )


def mutants() -> Iterator[tuple[str, int]]:
    for rule in REGISTRY.values():
        yield from ((rule.id, place) for place in range(len(conditions(rule.check))))


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
    assert satisfied(rule)
    swapped(replace(REGISTRY[rule], check=lambda *_: iter(())))
    assert not satisfied(rule)


@pytest.mark.parametrize(("rule", "place"), list(mutants()))
def test_a_condition_turned_round_is_noticed(rule: str, place: int, swapped: Callable[[Rule], None]) -> None:
    swapped(replace(REGISTRY[rule], check=mutant(REGISTRY[rule].check, place)))
    try:
        survives = satisfied(rule)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return
    condition = ast.unparse(conditions(REGISTRY[rule].check)[place])
    assert not survives or (rule, condition) in EQUIVALENT, condition


def helpers() -> Iterator[tuple[str, str, int]]:
    """Every condition of the functions that the rules of a module share."""
    for module in sorted({rule.check.__module__ for rule in REGISTRY.values()}):
        for name, function in inspect.getmembers(import_module(module), inspect.isfunction):
            if function.__module__ == module and name.startswith("_"):
                yield from ((module, name, place) for place in range(len(conditions(function))))


@pytest.mark.parametrize(("module", "name", "place"), list(helpers()))
def test_a_shared_condition_turned_round_is_noticed(
    module: str, name: str, place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = import_module(module)
    condition = ast.unparse(conditions(getattr(home, name))[place])
    monkeypatch.setattr(home, name, mutant(getattr(home, name), place))
    rules = [rule.id for rule in REGISTRY.values() if rule.check.__module__ == module]
    try:
        survives = all(map(satisfied, rules))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return
    assert not survives or (name, condition) in EQUIVALENT, condition
