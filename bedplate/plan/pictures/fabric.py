"""What a rail reaches: each network of the fabric, and below it the interface of every node that is on it.

Which GPU sits beside which interface no profile says, and so no line claims it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bedplate.plan.graph import Graph

from .drawing import EDGE, Box, Drawing, Line, Text, height, width

GAP, HEADING, BETWEEN = 8.0, 34.0, 40.0
"""Between boxes; for a line of words; from networks to nodes."""
LEAST = 480.0
"""How wide a fabric without rails is, so that a node's GPUs stand in one line."""
POOL, SUBNET = ":IPPool", ":Subnetwork"
"""Where networks of rails have their addresses: IP pools of nv-ipam; subnets of GKE's networks for devices."""


@dataclass(frozen=True)
class _Column:
    """A network, and the interface of each node that is on it."""

    left: float
    width: float
    network: tuple[str, ...]
    interface: str


def fabric(graph: Graph, sizing: Mapping[str, Any]) -> Drawing | None:
    """Of one cluster: its pools with interfaces for RDMA, one node of each in full. None where there is none."""
    pools = [pool for pool in sizing.get("pools", ()) if pool["gpus"] and pool["nicsPerNode"]]
    if not pools or sizing["fabric"]["kind"] == "none":
        return None
    columns = list(_columns(graph, sizing["fabric"], pools[0]))
    right = columns[-1].left + columns[-1].width + GAP + EDGE
    boxes = [Box(each.left, HEADING, each.width, height(2), each.network, "own") for each in columns]
    lines, texts = list[Line](), [Text(EDGE, 22, _title(sizing["fabric"]), "strong")]
    top = HEADING + height(2) + BETWEEN
    for pool in pools:
        node = list(_node(pool, columns, top + GAP))
        bottom = node[-1].top + node[-1].height + HEADING
        boxes += [Box(EDGE, top, right - 2 * EDGE, bottom - top, (), "soft"), *node]
        lines += [_cable(each, top + GAP) for each in columns]
        texts.append(Text(EDGE + GAP, bottom - 12, _words(pool)))
        top = bottom + GAP
    return Drawing(f"The fabric of {graph.stack}", right, top, tuple(boxes), tuple(lines), tuple(texts))


def _columns(graph: Graph, fabric: Mapping[str, Any], pool: Mapping[str, Any]) -> Iterator[_Column]:
    networks = _networks(graph, fabric)
    stated: Mapping[str, Any] = (graph.profile or {}).get("fabric") or {}
    named: list[str] = stated.get("rails") or []
    each = f"{pool['nicsPerNode'] // len(networks)} × {pool['nicGbps']} Gb/s"
    cards = named if len(named) == len(networks) else [each] * len(networks)
    wide = max(width((*network, card)) for network, card in zip(networks, cards, strict=True))
    wide = max(wide, LEAST / len(networks))
    for place, (network, card) in enumerate(zip(networks, cards, strict=True)):
        yield _Column(EDGE + GAP + place * (wide + GAP), wide, network, card)


def _networks(graph: Graph, fabric: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """A name for each, and its addresses where the plan has them."""
    pools = [node.inputs["spec"]["subnet"] for node in graph.resources if node.type.endswith(POOL)]
    subnets = [node.inputs["ipCidrRange"] for node in graph.resources if node.type.endswith(SUBNET)]
    if count := fabric["rails"]:
        return [(f"rail {place}", *pools[place : place + 1]) for place in range(count)]
    return [(f"network {place}", cidr) for place, cidr in enumerate(subnets, 1)] or [(fabric["kind"], "no rails")]


def _node(pool: Mapping[str, Any], columns: Sequence[_Column], top: float) -> Iterator[Box]:
    """Its interfaces, and below them its GPUs side by side."""
    yield from (Box(each.left, top, each.width, height(1), (each.interface,)) for each in columns)
    whole, count = columns[-1].left + columns[-1].width - columns[0].left, pool["gpusPerNode"]
    wide = (whole - (count - 1) * GAP) / count
    for place in range(count):
        label = (f"GPU {place}",) if wide >= width(["GPU 0"]) else (f"{place}",)
        yield Box(columns[0].left + place * (wide + GAP), top + height(1) + GAP, wide, height(1), label)


def _cable(column: _Column, bottom: float) -> Line:
    middle = column.left + column.width / 2
    return Line(((middle, HEADING + height(2)), (middle, bottom)), "cable")


def _title(fabric: Mapping[str, Any]) -> str:
    return f"{fabric['kind']}, {fabric['exposure']}"


def _words(pool: Mapping[str, Any]) -> str:
    gpu = pool["gpuProduct"].removeprefix("NVIDIA-")
    nics = f"{pool['nicsPerNode']} × {pool['nicGbps']} Gb/s"
    return f"{pool['name']}: each of {pool['nodes']} nodes has {pool['gpusPerNode']} × {gpu} and {nics}"
