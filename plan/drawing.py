"""The graph of components laid out in rows: what stands in one row can come up side by side."""

from collections.abc import Iterator
from dataclasses import dataclass

from .graph import PROVIDER_PREFIX, Graph, Node
from .order import Order, layer
from .summary import waits_for_status

BOX_WIDTH, BOX_HEIGHT = 176, 46
GAP_X, GAP_Y = 16, 44
PITCH_X, PITCH_Y = BOX_WIDTH + GAP_X, BOX_HEIGHT + GAP_Y
COLUMNS = 6


@dataclass(frozen=True)
class Box:
    """A component, its place, and what it holds."""

    name: str
    kind: str
    hue: int
    x: int
    y: int
    held: int
    """How many resources it declares."""
    gated: bool


@dataclass(frozen=True)
class Edge:
    """A line from what comes first down to what waits for it."""

    path: str
    title: str


@dataclass(frozen=True)
class Drawing:
    """Boxes and lines, and the canvas that they need."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    box_width: int = BOX_WIDTH
    box_height: int = BOX_HEIGHT


def draw(graph: Graph) -> Drawing:
    """Lay out the top-level components; providers stay out, as everything waits for them."""
    order = Order(graph)
    rows = [[node for node in row if not node.type.startswith(PROVIDER_PREFIX)] for row in order.rows()]
    lines = [row[start : start + COLUMNS] for row in rows for start in range(0, len(row), COLUMNS)]
    width = max((len(line) for line in lines), default=1) * PITCH_X + GAP_X
    boxes = dict(_boxes(graph, lines, width))
    pairs = ((before, urn) for urn in boxes for before in order.nearest[urn] if before.urn in boxes)
    edges = tuple(_edge(boxes[before.urn], boxes[urn]) for before, urn in pairs)
    return Drawing(width, len(lines) * PITCH_Y, tuple(boxes.values()), edges)


def _boxes(graph: Graph, lines: list[list[Node]], width: int) -> Iterator[tuple[str, Box]]:
    hues = _hues(graph)
    for row, line in enumerate(lines):
        left = (width - len(line) * PITCH_X + GAP_X) // 2
        for column, node in enumerate(line):
            below = _descendants(graph, node)
            x, y = left + column * PITCH_X, GAP_Y // 2 + row * PITCH_Y
            gated = any(waits_for_status(other) for other in (node, *below))
            yield node.urn, Box(node.name, node.kind, hues[layer(node)], x, y, len(below), gated)


def _descendants(graph: Graph, node: Node) -> list[Node]:
    found = list(graph.children(node.urn))
    return found + [deeper for child in found for deeper in _descendants(graph, child)]


def _edge(before: Box, after: Box) -> Edge:
    x1, y1 = before.x + BOX_WIDTH // 2, before.y + BOX_HEIGHT
    x2, y2 = after.x + BOX_WIDTH // 2, after.y
    bend = (y2 - y1) // 2
    return Edge(f"M{x1} {y1}C{x1} {y1 + bend} {x2} {y2 - bend} {x2} {y2}", f"{after.name} after {before.name}")


def _hues(graph: Graph) -> dict[str, int]:
    """A hue per layer, spread over the circle by the golden angle so that neighbours differ."""
    layers = dict.fromkeys(layer(node) for node in graph.resources)
    return {layer: (205 + index * 137) % 360 for index, layer in enumerate(layers)}
