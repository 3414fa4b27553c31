"""What stands on what: the nodes at the bottom, above them a row for each layer of the house, with its components."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bedplate.plan.answers import RELEASE
from bedplate.plan.graph import PROVIDER_PREFIX, Graph, Node
from bedplate.plan.order import layer

from .drawing import EDGE, Box, Drawing, Text, height, width

LAYERS = {
    "serving": "Model servers",
    "training": "Training",
    "tenancy": "Teams",
    "scheduling": "Queues",
    "observability": "Monitoring",
    "storage": "Storage",
    "verification": "Verification",
    "network": "Networks",
    "operators": "Operators",
    "nodes": "Node features",
    "site": "There before",
    "cloud": "Cloud",
}
"""From above to below; what is in none stands on top of them."""
NAMES, WIDE, GAP = 118.0, 860.0, 8.0
"""Of the column with the names; of the whole; between boxes."""


def layers(graph: Graph, sizing: Mapping[str, Any]) -> Drawing | None:
    """Of a whole plan; None where it declares nothing."""
    boxes, texts, top = list[Box](), list[Text](), 0.0
    for name, entries in _rows(graph, sizing):
        placed = list(_placed(entries, top + EDGE, "own" if name == "Nodes" else "part"))
        bottom = max(box.top + box.height for box in placed) + EDGE
        boxes += [Box(0, top, WIDE, bottom - top, (), "soft"), *placed]
        texts.append(Text(EDGE, (top + bottom) / 2 + 5, name, "strong"))
        top = bottom + GAP / 2
    if not boxes:
        return None
    return Drawing(f"What stands on what in {graph.stack}", WIDE, top, tuple(boxes), (), tuple(texts))


def _rows(graph: Graph, sizing: Mapping[str, Any]) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    tops = [node for node in graph.children(graph.nodes[0].urn) if not node.type.startswith(PROVIDER_PREFIX)]
    others = dict.fromkeys(layer(node) for node in tops if layer(node) not in LAYERS)
    for key in (*others, *LAYERS):
        if entries := [_entry(graph, node) for node in tops if layer(node) == key]:
            yield LAYERS.get(key, key.capitalize()), entries
    if pools := sizing.get("pools"):
        yield "Nodes", [_pool(pool) for pool in pools]


def _entry(graph: Graph, node: Node) -> tuple[str, ...]:
    """Its name, and the chart that it installs."""
    charts = [child for child in graph.children(node.urn) if child.type == RELEASE]
    return node.name, *(_chart(chart.inputs) for chart in charts)


def _chart(inputs: Mapping[str, Any]) -> str:
    name = str(inputs["chart"]).rpartition("/")[2]
    return f"{name} {inputs.get('version') or ''}".strip()


def _pool(pool: Mapping[str, Any]) -> tuple[str, str]:
    kind = (pool["gpuProduct"] or "").removeprefix("NVIDIA-")
    shape = "" if pool["shape"] == "custom" else f" {pool['shape']}"
    return f"{pool['name']}: {pool['nodes']} nodes{shape}", f"{pool['gpus']} × {kind}" if kind else "no GPUs"


def _placed(entries: Sequence[tuple[str, ...]], top: float, style: str) -> Iterator[Box]:
    """From left to right, in as many lines as it takes; all of one height."""
    left, high = NAMES, height(max(map(len, entries)))
    for entry in entries:
        wide = width(entry)
        if left + wide > WIDE - EDGE:
            left, top = NAMES, top + high + GAP
        yield Box(left, top, wide, high, entry, style)
        left += wide + GAP
