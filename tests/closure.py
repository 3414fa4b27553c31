"""Order, as the engine keeps it."""

from bedplate.plan.graph import Graph


def closure(graph: Graph, urn: str) -> frozenset[str]:
    """All that a resource really waits for.

    A component's own dependencies are not copied to its children: they wait because they need the component's URN.
    So the walk follows parents and providers as well as dependencies.
    """
    seen: set[str] = set()
    todo = [urn]
    while todo:
        for other in graph.by_urn[todo.pop()].waits_for():
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return frozenset(seen)
