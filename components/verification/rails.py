"""Which node, and which of its rails, is slow: every GPU sends to its peer on another node. Runs in the pods.

In round r node i meets node i XOR 2^r: after log2(n) rounds each node has met as many others, so that a node that is
slow with all of them is told from the link to one of them. Slow means well below the median of all measurements: a
healthy fabric needs no published floor to be compared with itself.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from types import ModuleType
from typing import Any

SLOW = 0.7
"""Part of the median below which a measurement is not noise."""


@dataclass(frozen=True)
class Measurement:
    """What one GPU received from its peer."""

    node: int
    peer: int
    rail: int
    """Number of the GPU on its node, and of the NIC nearest to it."""
    gbs: float


def partner(node: int, turn: int, nodes: int) -> int | None:
    """Whom a node meets in a round; None where nobody is left."""
    other = node ^ (1 << turn)
    return other if other < nodes else None


def turns(nodes: int) -> int:
    """Rounds in which every node meets as many others as it can be told from."""
    return (nodes - 1).bit_length()


def slow(measurements: Iterable[Measurement]) -> list[Measurement]:
    """Those well below the median of all."""
    found = list(measurements)
    if not found:
        return []
    usual = median(one.gbs for one in found)
    return [one for one in found if one.gbs < SLOW * usual]


def suspects(measurements: Iterable[Measurement], names: Mapping[int, str]) -> Iterator[str]:
    """In words, rail by rail: the node that was slow with everybody, the link that was slow between two sound ones."""
    found = list(measurements)
    bad = slow(found)
    for rail in sorted({one.rail for one in bad}):
        yield from _on_rail(rail, [one for one in found if one.rail == rail], set(bad), names)


def _on_rail(rail: int, measured: list[Measurement], bad: set[Measurement], names: Mapping[int, str]) -> Iterator[str]:
    pairs: dict[frozenset[int], list[Measurement]] = defaultdict(list)
    for one in measured:
        pairs[frozenset((one.node, one.peer))].append(one)
    sick = [pair for pair, both in pairs.items() if bad.intersection(both)]
    sound = {node for pair in pairs.keys() - set(sick) for node in pair}
    while sick:
        blamed = _blamed(sick, sound)
        sick = [pair for pair in sick if not blamed <= pair]
        at_best = max(one.gbs for pair, both in pairs.items() if blamed <= pair for one in both)
        yield f"rail {rail} {_place(blamed, sound, names)} ({at_best:.1f} GB/s at best)"


def _blamed(sick: list[frozenset[int]], sound: set[int]) -> frozenset[int]:
    """The node that explains most of what is slow; the whole pair where neither of the two stands out."""
    counts = Counter(node for pair in sick for node in pair if node not in sound)
    if not counts:
        return sick[0]
    node, most = max(counts.items(), key=lambda one: (one[1], -one[0]))
    pair = next(pair for pair in sick if node in pair)
    return frozenset((node,)) if most > 1 or pair & sound else pair


def _place(blamed: frozenset[int], sound: set[int], names: Mapping[int, str]) -> str:
    known = [names[node] for node in sorted(blamed)]
    if len(known) == 1:
        return f"of {known[0]}: slow with every node"
    return f"between {known[0]} and {known[1]}" if blamed <= sound else f"of {known[0]} or {known[1]}"


def measure(torch: ModuleType, dist: ModuleType, size: int) -> list[Measurement]:
    """Every round's exchange with the same GPU of the partner's node, as this rank saw it; all ranks call it."""
    rank, ranks = dist.get_rank(), dist.get_world_size()
    per_node = torch.cuda.device_count()
    (node, rail), nodes = divmod(rank, per_node), ranks // per_node
    out, into = (torch.ones(size // 4, dtype=torch.float32, device="cuda") for _ in range(2))
    found: list[Measurement] = []
    for turn in range(turns(nodes)):
        other = partner(node, turn, nodes)
        seconds = 0.0 if other is None else _exchange(torch, dist, (out, into), other * per_node + rail)
        if other is not None:
            found.append(Measurement(node, other, rail, size / seconds / 1e9))
        dist.barrier()
    return found


def _exchange(torch: ModuleType, dist: ModuleType, buffers: tuple[Any, Any], peer: int, rounds: int = 5) -> float:
    """Seconds of one exchange; the first sets the connection up."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for turn in range(rounds + 1):
        if turn == 1:
            start.record()
        both = [dist.P2POp(dist.isend, buffers[0], peer), dist.P2POp(dist.irecv, buffers[1], peer)]
        for work in dist.batch_isend_irecv(both):
            work.wait()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / 1000 / rounds
