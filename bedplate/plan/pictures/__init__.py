"""A plan as pictures, drawn from its graph alone: what stands on what, what waits for what, what a rail reaches."""

from collections.abc import Iterator, Mapping
from typing import Any

from bedplate.plan.graph import Graph
from bedplate.plan.waves import waves

from .drawing import svg
from .fabric import fabric
from .layers import layers
from .order import order

NAMES = ("layers", "order", "fabric")


def pictures(graph: Graph, sizing: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Name and SVG of each that can be drawn: not every cluster has a fabric, and the order needs an extra."""
    drawings = (layers(graph, sizing), order(waves(graph), graph.stack), fabric(graph, sizing))
    yield from ((name, svg(drawing)) for name, drawing in zip(NAMES, drawings, strict=True) if drawing)
