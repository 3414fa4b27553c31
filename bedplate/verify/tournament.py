"""Which node, or which link between two nodes, is bad: found from matches of two, in few rounds. Pure.

A match is an all-reduce over two nodes. Who wins one is sound, and so is the opponent. In the first rounds strangers
meet; from then on each suspect meets a node that is known to be sound, so that half of a large cluster is cleared by
one round and the rest by the next. A node that loses to two sound nodes is bad; one that loses to a single sound node
and wins against another is sound, and the link between the first two is bad. An all-reduce over all nodes tells only
that something is slow; a round in which every pair meets would take as many rounds as there are nodes.

A match that could not be judged (`None`) neither clears nor blames.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

Pair = frozenset[str]
Played = Mapping[Pair, bool | None]
CONFIRM = 2
"""Sound opponents that a node must lose to before it is called bad: one may be at the other end of a bad link."""


@dataclass(frozen=True)
class Verdict:
    """What the matches so far prove."""

    sound: tuple[str, ...]
    bad: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    """Between two sound nodes."""
    unknown: tuple[str, ...]


def rounds(nodes: int) -> int:
    """After so many it ends, whatever is still open."""
    return 2 * max(1, (nodes - 1).bit_length()) + CONFIRM


def verdict(nodes: Iterable[str], played: Played) -> Verdict:
    """The sound ones are those that have won; of the rest those are bad that lost to two of them."""
    names = sorted(nodes)
    sound = {node for pair, won in played.items() if won for node in pair}
    lost = {node: [pair - {node} for pair, won in played.items() if won is False and node in pair] for node in names}
    bad = {node for node in names if node not in sound and sum(other <= sound for other in lost[node]) >= CONFIRM}
    links = {tuple(sorted(pair)) for pair, won in played.items() if won is False and pair <= sound}
    return Verdict(
        tuple(node for node in names if node in sound),
        tuple(node for node in names if node in bad),
        tuple(sorted((link[0], link[-1]) for link in links)),
        tuple(node for node in names if node not in sound | bad),
    )


def next_round(nodes: Iterable[str], played: Played) -> list[Pair]:
    """Who meets next, each node at most once and no pair twice; nothing where all is known, or no more can be."""
    names = sorted(nodes)
    judged = verdict(names, played)
    if not judged.unknown:
        return []
    if judged.sound:
        return list(_against(judged.unknown, judged.sound, played))
    return list(_strangers(names, played))


def _against(suspects: Sequence[str], sound: Sequence[str], played: Played) -> Iterator[Pair]:
    """A sound opponent for each suspect, what is left over waits for the next round."""
    free = dict.fromkeys(sound)
    for suspect in suspects:
        other = next((candidate for candidate in free if frozenset((suspect, candidate)) not in played), None)
        if other is not None:
            del free[other]
            yield frozenset((suspect, other))


def _strangers(names: Sequence[str], played: Played) -> Iterator[Pair]:
    """Pairs that have not met, as far apart in the list as rounds have been played."""
    free = dict.fromkeys(names)
    turn = len(played) * 2 // max(1, len(names) - 1) + 1
    for name in names:
        if name not in free:
            continue
        del free[name]
        others = [*list(free)[turn - 1 :], *list(free)[: turn - 1]]
        other = next((candidate for candidate in others if frozenset((name, candidate)) not in played), None)
        if other is not None:
            del free[other]
            yield frozenset((name, other))


def run(nodes: Sequence[str], play: Callable[[Sequence[Pair]], Played]) -> tuple[Verdict, dict[Pair, bool | None], int]:
    """Play until all is known, or as many rounds as may be: the verdict, every match, and how many rounds it took."""
    played: dict[Pair, bool | None] = {}
    for turn in range(rounds(len(nodes))):
        pairs = next_round(nodes, played)
        if not pairs:
            return verdict(nodes, played), played, turn
        played |= play(pairs)
    return verdict(nodes, played), played, rounds(len(nodes))
