"""What each top-level resource comes right after, in terms of its neighbours."""

from collections.abc import Mapping

from .graph import Graph, Node


class Order:
    """Dependencies between resources, lifted to the components that hold them."""

    def __init__(self, graph: Graph) -> None:
        self.tops = graph.children(graph.nodes[0].urn)
        direct = _between_tops(graph)
        reach: dict[str, set[str]] = {}
        self.nearest: dict[str, tuple[Node, ...]] = {}
        """The closest predecessors only: what those wait for goes without saying."""
        self.depth: dict[str, int] = {}
        """How many steps come before it at least: what has the same depth can run side by side."""
        for node in self.tops:  # in the order of the program, so that predecessors are known
            before = direct[node.urn]
            implied = set[str]().union(*(reach[urn] for urn in before))
            reach[node.urn] = before | implied
            self.nearest[node.urn] = tuple(top for top in self.tops if top.urn in before - implied)
            self.depth[node.urn] = 1 + max((self.depth[urn] for urn in before), default=-1)

    def rows(self) -> list[list[Node]]:
        """The resources of each depth, in the order of the program."""
        rows: list[list[Node]] = [[] for _ in range(1 + max(self.depth.values(), default=-1))]
        for node in self.tops:
            rows[self.depth[node.urn]].append(node)
        return rows


def _between_tops(graph: Graph) -> Mapping[str, set[str]]:
    top: dict[str, str] = {}
    for node in graph.resources:  # a parent is created before its children
        top[node.urn] = top.get(node.parent, node.urn)
    direct: dict[str, set[str]] = {urn: set() for urn in top.values()}
    for node in graph.resources:
        own = top[node.urn]
        direct[own] |= {top[urn] for urn in node.dependencies if urn in top} - {own}
    return direct


def layer(node: Node) -> str:
    """The part of the house that a component belongs to: `operators` in `bedplate:operators:GpuOperator`."""
    return node.type.split(":")[1]
