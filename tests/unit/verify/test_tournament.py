"""Planted bad nodes and links are named, and nobody else, in rounds that grow with the logarithm of the nodes."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bedplate.verify.tournament import Pair, next_round, rounds, run, verdict


def names(count: int) -> list[str]:
    return [f"node-{number:04}" for number in range(count)]


class Fabric:
    """Matches on a fabric with faults; it also sees to it that nobody plays twice at a time."""

    def __init__(self, bad: set[str], links: set[Pair], silent: set[Pair] | None = None) -> None:
        self.bad, self.links, self.silent, self.seen = bad, links, silent or set(), set[Pair]()

    def __call__(self, pairs: Sequence[Pair]) -> dict[Pair, bool | None]:
        players = [node for pair in pairs for node in pair]
        assert len(players) == len(set(players)), "a node plays two matches at once"
        assert not self.seen & set(pairs), "a pair meets twice"
        self.seen |= set(pairs)
        return {pair: None if pair in self.silent else not (pair & self.bad or pair in self.links) for pair in pairs}


@given(st.data())
def test_planted_bad_nodes_and_links_are_named_and_nobody_else(data: st.DataObject) -> None:
    nodes = names(data.draw(st.integers(6, 80)))
    bad = set(data.draw(st.lists(st.sampled_from(nodes), max_size=len(nodes) // 5, unique=True)))
    sound = data.draw(st.permutations([node for node in nodes if node not in bad]))
    links = {frozenset(sound[at : at + 2]) for at in range(0, data.draw(st.integers(0, len(sound) // 4)) * 2, 2)}
    fabric = Fabric(bad, links)
    found, played, took = run(nodes, fabric)
    assert set(found.bad) == bad
    assert {frozenset(pair) for pair in found.links} == links & set(played)
    assert found.unknown == ()
    assert took <= rounds(len(nodes))


@pytest.mark.parametrize("count", [64, 250, 1000])
def test_thirty_bad_nodes_are_found_in_rounds_that_grow_with_the_logarithm(count: int) -> None:
    nodes = names(count)
    bad = set(nodes[5::33])
    found, played, took = run(nodes, Fabric(bad, set()))
    assert set(found.bad) == bad
    assert took <= 5
    assert len(played) < count


def test_one_bad_node_among_many_is_named_when_it_has_lost_to_two_sound_ones() -> None:
    found, played, _ = run(names(16), Fabric({"node-0003"}, set()))
    assert (found.bad, found.links) == (("node-0003",), ())
    assert sum("node-0003" in pair for pair in played) == 2


def test_a_bad_link_between_two_sound_nodes_is_named_as_the_link_and_not_as_a_node() -> None:
    (first, *_) = next_round(names(8), {})
    found, _, _ = run(names(8), Fabric(set(), {first}))
    assert (found.bad, found.unknown) == ((), ())
    assert found.links == (tuple(sorted(first)),)


def test_of_two_nodes_neither_can_be_cleared() -> None:
    found, _, _ = run(names(2), Fabric({"node-0001"}, set()))
    assert found.unknown == ("node-0000", "node-0001")


def test_where_nobody_wins_nobody_is_called_sound_or_bad() -> None:
    found, _, took = run(names(9), Fabric(set(names(9)), set()))
    assert (found.sound, found.bad, len(found.unknown)) == ((), (), 9)
    assert took <= rounds(9)


def test_a_match_that_nobody_could_judge_clears_nobody_and_blames_nobody() -> None:
    pair = frozenset(names(2))
    assert verdict(names(2), {pair: None}).unknown == tuple(names(2))
    found, _, _ = run(names(4), Fabric(set(), set(), silent={frozenset(names(2))}))
    assert set(found.sound) == set(names(4))


def test_a_cluster_of_one_node_has_no_matches() -> None:
    found, played, took = run(names(1), Fabric(set(), set()))
    assert (played, took, found.unknown) == ({}, 0, ("node-0000",))
