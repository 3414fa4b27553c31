"""A slow node, rail or link is found by its name, among healthy ones that differ a little."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedplate.components.verification.rails import Measurement, partner, slow, suspects, turns

RAILS = 8


def tournament(nodes: int, *, sick: set[tuple[int, int]], links: set[tuple[int, int, int]]) -> list[Measurement]:
    """All rounds over so many nodes; `sick` are (node, rail), `links` (lower node, higher node, rail)."""
    noise = random.Random(nodes)  # noqa: S311 - measurements differ, tests do not
    return [
        Measurement(node, other, rail, noise.uniform(44, 49) * (0.25 if bad else 1))
        for turn in range(turns(nodes))
        for node in range(nodes)
        if (other := partner(node, turn, nodes)) is not None
        for rail in range(RAILS)
        for bad in (
            (node, rail) in sick or (other, rail) in sick or (min(node, other), max(node, other), rail) in links,
        )
    ]


def named(nodes: int, **bad: set[tuple[int, ...]]) -> list[str]:
    found = tournament(nodes, sick=bad.get("sick", set()), links=bad.get("links", set()))  # pyright: ignore[reportArgumentType]
    return [
        one.replace(":", " (").partition(" (")[0]
        for one in suspects(found, {node: f"gpu-{node}" for node in range(nodes)})
    ]


@pytest.mark.parametrize("nodes", [2, 3, 5, 8, 128])
def test_a_healthy_fabric_has_no_suspect(nodes: int) -> None:
    assert named(nodes) == []


@pytest.mark.parametrize(("nodes", "sick"), [(3, 0), (4, 3), (8, 5), (100, 99), (128, 64)])
def test_a_node_with_one_slow_rail_is_named(nodes: int, sick: int) -> None:
    assert named(nodes, sick={(sick, 3)}) == [f"rail 3 of gpu-{sick}"]


def test_of_two_nodes_neither_can_be_cleared() -> None:
    assert named(2, sick={(1, 6)}) == ["rail 6 of gpu-0 or gpu-1"]


def test_a_link_between_two_sound_nodes_is_told_from_a_node() -> None:
    assert named(8, links={(2, 3, 1)}) == ["rail 1 between gpu-2 and gpu-3"]


def test_a_node_that_is_slow_on_all_rails_is_named_for_each() -> None:
    assert named(8, sick={(4, rail) for rail in range(RAILS)}) == [f"rail {rail} of gpu-4" for rail in range(RAILS)]


def test_two_nodes_that_are_sick_on_different_rails_are_both_named() -> None:
    assert named(16, sick={(1, 0), (9, 7)}) == ["rail 0 of gpu-1", "rail 7 of gpu-9"]


@given(st.integers(3, 64), st.data())
def test_any_one_sick_rail_is_found_in_a_logarithm_of_rounds(nodes: int, data: st.DataObject) -> None:
    sick = (data.draw(st.integers(0, nodes - 1)), data.draw(st.integers(0, RAILS - 1)))
    assert 2 ** turns(nodes) >= nodes > 2 ** (turns(nodes) - 1)
    said = named(nodes, sick={sick})
    met = [turn for turn in range(turns(nodes)) if partner(sick[0], turn, nodes) is not None]
    assert len(said) == 1
    assert f"rail {sick[1]} " in said[0]
    assert f"gpu-{sick[0]}" in said[0]
    assert len(met) == 1 or said == [f"rail {sick[1]} of gpu-{sick[0]}"]


def test_nothing_measured_is_nothing_slow() -> None:
    assert slow([]) == []


@given(st.integers(1, 200))
def test_each_node_meets_another_at_most_once_and_both_agree(nodes: int) -> None:
    for node in range(nodes):
        met = [other for turn in range(turns(nodes)) if (other := partner(node, turn, nodes)) is not None]
        assert len(set(met)) == len(met)
        assert node not in met
        for turn in range(turns(nodes)):
            other = partner(node, turn, nodes)
            assert other is None or partner(other, turn, nodes) == node
