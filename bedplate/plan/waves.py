"""In which order a cluster comes up: waves of what runs side by side, and the chain of gates that takes longest.

A wave is what waits for nothing but earlier waves. How long charts take nobody can say; how long a gate waits before it
fails stands in the plan, so the worst case is known: the gates that come one after the other, each to its limit.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .graph import PROVIDER_PREFIX, Graph, Node
from .order import Order
from .summary import timeout_of, waits_for_status

LENGTH = re.compile(r"([0-9]+)(h|ms|m|s)")
SECONDS = {"h": 3600, "m": 60, "s": 1, "ms": 0}


@dataclass(frozen=True)
class Part:
    """A top-level component in its wave."""

    name: str
    kind: str
    after: tuple[str, ...]
    """What it waits for, without what that waits for itself."""
    held: int
    """How many resources it declares."""
    gates: tuple[str, ...]
    critical: bool
    """It holds a gate of the longest chain."""


@dataclass(frozen=True)
class Gate:
    """One link of the longest chain."""

    name: str
    within: str
    """How long it may take at most, in words."""


@dataclass(frozen=True)
class Waves:
    """The whole order."""

    waves: tuple[tuple[Part, ...], ...]
    chain: tuple[Gate, ...]
    worst: str
    """The limits of the chain's gates together, in words; empty without a gate."""


def waves(graph: Graph) -> Waves:
    """Of a plan; providers stay out, as everything waits for them."""
    order, chain = Order(graph), _longest(graph)
    held = {top.urn: [top, *_below(graph, top)] for top in order.tops}
    rows = [[top for top in row if not top.type.startswith(PROVIDER_PREFIX)] for row in order.rows()]
    parts = (tuple(_part(top, held[top.urn], order, chain) for top in row) for row in rows if row)
    gates = tuple(
        Gate(node.name, in_words(seconds(node)) if timeout_of(node) else "the provider's own limit") for node in chain
    )
    return Waves(tuple(parts), gates, in_words(sum(map(seconds, chain))) if chain else "")


def _part(top: Node, held: list[Node], order: Order, chain: list[Node]) -> Part:
    after = tuple(before.name for before in order.nearest[top.urn] if not before.type.startswith(PROVIDER_PREFIX))
    gates = tuple(node.name for node in held if waits_for_status(node))
    return Part(top.name, top.kind, after, len(held) - 1, gates, any(node in chain for node in held))


def _below(graph: Graph, node: Node) -> list[Node]:
    return [node_below for child in graph.children(node.urn) for node_below in (child, *_below(graph, child))]


def _longest(graph: Graph) -> list[Node]:
    """The gates of the chain whose limits add up to most, first to last."""
    chains = dict[str, list[Node]]()
    for node in graph.nodes:  # in creation order: what it waits for is there
        before = max((chains[urn] for urn in waited(graph, node) if urn in chains), key=_length, default=list[Node]())
        chains[node.urn] = [*before, node] if waits_for_status(node) else before
    return max(chains.values(), key=_length, default=list[Node]())


def waited(graph: Graph, node: Node) -> Iterator[str]:
    """To wait for a component is to wait for all that it holds; its own parent it does not wait for."""
    for urn in node.dependencies:
        yield urn
        if urn in graph.by_urn:
            yield from (below.urn for below in _below(graph, graph.by_urn[urn]))
    above = graph.by_urn.get(node.parent)
    if above and above is not node:
        yield from waited(graph, above)


def _length(chain: list[Node]) -> int:
    return sum(map(seconds, chain))


def seconds(node: Node) -> int:
    """How long a gate may take; 0 of anything else."""
    return sum(int(number) * SECONDS[unit] for number, unit in LENGTH.findall(timeout_of(node) or ""))


def in_words(seconds: int) -> str:
    """`2 h 30 min`."""
    hours, minutes = divmod(seconds // 60, 60)
    return " ".join(f"{number} {unit}" for number, unit in ((hours, "h"), (minutes, "min")) if number) or f"{seconds} s"
