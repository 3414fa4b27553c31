"""The checks of a profile at their edges; and whatever condition of a check is turned round, some profile shows it."""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain
from types import CodeType, FunctionType

import pytest

from bedplate.stacks import checks
from tests.mutation import functions, modules, mutants, name, survivors
from tests.mutation_order import by_function
from tests.mutation_scope import in_scope
from tests.stack_files import STACKS, document
from tests.unit import test_profile as plain
from tests.unit.checks import (
    edges_borders,
    edges_cloud,
    edges_collectors,
    edges_engines,
    edges_fabric,
    edges_fleet,
    edges_gate,
    edges_labels,
    edges_limits,
    edges_network,
    edges_nics,
    edges_nodes,
    edges_pairs,
    edges_parts,
    edges_platforms,
    edges_rails,
    edges_rights,
    edges_serving,
    edges_site,
    edges_slices,
    edges_teams,
)
from tests.unit.checks.case import Case, checked, taken
from tests.unit.cloud import test_cloud_checks as cloud
from tests.unit.scheduling import test_refusals as scheduling
from tests.unit.serving import test_model_checks as models
from tests.unit.serving import test_serving_checks as serving
from tests.unit.storage import test_storage_checks as storage
from tests.unit.verification import test_nccl as verification

EDGES = {
    **edges_limits.EDGES,
    **edges_borders.EDGES,
    **edges_nodes.EDGES,
    **edges_parts.EDGES,
    **edges_cloud.EDGES,
    **edges_collectors.EDGES,
    **edges_engines.EDGES,
    **edges_fabric.EDGES,
    **edges_fleet.EDGES,
    **edges_labels.EDGES,
    **edges_gate.EDGES,
    **edges_network.EDGES,
    **edges_nics.EDGES,
    **edges_slices.EDGES,
    **edges_rails.EDGES,
    **edges_platforms.EDGES,
    **edges_teams.EDGES,
    **edges_pairs.EDGES,
    **edges_serving.EDGES,
    **edges_site.EDGES,
    **edges_rights.EDGES,
}

FUNCTIONS = functions(*in_scope(modules(checks)))
# Mutants that change nothing which one can see, each with the reason.
EQUIVALENT = {
    "gpu < OLDEST_FOR_FAMILY.get(pool.gpu.family, (0, 0)) → gpu <= OLDEST_FOR_FAMILY.get(pool.gpu.family, (0, 0))": (
        "the line has no release without a patch, so none equals it"
    ),
}


@pytest.mark.parametrize("edge", EDGES)
def test_a_profile_at_an_edge_is_taken_or_refused_with_just_these_words(edge: str) -> None:
    assert EDGES[edge].holds(), EDGES[edge].said()


def refusals() -> Iterator[Case | None]:
    """What the tables of the areas refuse."""
    yield from (checked(make(), words) for make, words in cloud.WRONG.values())
    yield from (checked(scheduling.bad(case), scheduling.BAD[case][1]) for case in scheduling.BAD)
    yield from (checked(serving.bad(case), serving.BAD[case][2]) for case in serving.BAD)
    yield from (checked(models.bad(case), models.BAD[case][2]) for case in models.BAD)
    yield from (checked(storage.bad(case), storage.BAD[case][2]) for case in storage.BAD)
    yield from (checked(verification.bad(case), (verification.BAD[case][1],)) for case in verification.BAD)
    yield from (checked(plain.bad(case), plain.BAD[case][2]) for case in plain.BAD)


def cases() -> Iterator[Case]:
    """The edges, the refusals, and profiles that are sound."""
    sound = map(taken, (*map(document, STACKS), cloud.aks(), cloud.oke(), *map(models.good, models.GOOD)))
    return chain(EDGES.values(), filter(None, refusals()), sound)


@cache
def reached() -> dict[CodeType, list[Callable[[], bool]]]:
    """The profiles that run a function of a check, by the function's code."""
    return by_function(FUNCTIONS, (case.holds for case in cases()))


@pytest.mark.parametrize("function", FUNCTIONS, ids=name)
def test_whatever_is_turned_round_in_a_check_some_profile_shows_it(function: FunctionType) -> None:
    left = survivors(function, reached()[function.__code__])
    assert [what for what in left if what not in EQUIVALENT] == []


def test_every_mutant_that_is_let_go_is_one() -> None:
    every = {what for function in functions(*modules(checks)) for what in mutants(function)}
    assert set(EQUIVALENT) - every == set()
