"""The rules of jobs at their edges; and whatever condition of a rule is turned round, some job shows it."""

from collections.abc import Callable
from functools import cache, partial
from types import CodeType, FunctionType
from typing import Any

import pytest

from bedplate.components.facts import Facts
from bedplate.stacks import jobs
from bedplate.stacks.jobs.checks import load_job
from bedplate.stacks.profile.problem import ProfileError
from tests.mutation import functions, modules, name, survivors
from tests.mutation_order import by_function
from tests.mutation_scope import in_scope
from tests.training_jobs import cluster, job
from tests.unit.training import edges, edges_places
from tests.unit.training import test_jobs as tables
from tests.unit.training.test_names import LONGEST

EDGES = {**edges.EDGES, **edges_places.EDGES}
FUNCTIONS = functions(*in_scope(modules(jobs)))


def verdict(written: dict[str, Any], facts: Facts) -> str:
    """What is said of a job; nothing if it is taken."""
    try:
        load_job(written, facts)
    except ProfileError as error:
        return str(error)
    return ""


def holds(written: dict[str, Any], facts: Facts, said: str) -> bool:
    """Taken, or refused in one line with these words."""
    found = verdict(written, facts)
    return said in found and "\n" not in found if said else not found


@pytest.mark.parametrize("edge", EDGES)
def test_a_job_at_an_edge_is_taken_or_refused_in_one_line(edge: str) -> None:
    written, facts, said = EDGES[edge]
    assert holds(written, facts(), said), verdict(written, facts())


@cache
def everything() -> list[tuple[dict[str, Any], Facts, str]]:
    """The edges, the table of what is refused, and the longest names."""
    return [
        *((written, facts(), said) for written, facts, said in EDGES.values()),
        *((written, cluster(tables.ROCE), said) for written, said in tables.BAD.values()),
        *((job(kind, name="x" * most), cluster(tables.ROCE, "volcano"), "") for kind, most in LONGEST.items()),
    ]


@cache
def reached() -> dict[CodeType, list[Callable[[], bool]]]:
    """The jobs that run a function of the rules, by the function's code."""
    return by_function(FUNCTIONS, (partial(holds, *one) for one in everything()))


@pytest.mark.parametrize("function", FUNCTIONS, ids=name)
def test_whatever_is_turned_round_in_a_rule_of_jobs_some_job_shows_it(function: FunctionType) -> None:
    assert survivors(function, reached()[function.__code__]) == []
