"""The plan for a person: a tree in dependency order that fits 80 columns."""

from itertools import groupby
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rich.text import Text
from rich.tree import Tree

from .answers import RELEASE
from .graph import PROVIDER_PREFIX, Graph, Node
from .order import Order, layer
from .summary import BUNDLES, timeout_of, waits_for_status

if TYPE_CHECKING:
    from collections.abc import Mapping

MANY = 4
"""From here siblings of one kind are counted instead of listed."""
COLOURS = ("cyan", "green", "magenta", "blue", "yellow", "bright_cyan", "bright_green", "bright_magenta", "bright_blue")


def tree(graph: Graph) -> Tree:
    """Components in the order of the program, each with its resources below."""
    order = Order(graph)
    colours = _colours(graph)
    root = Tree(Text(graph.stack, style="bold"), guide_style="dim")
    for node in order.tops:
        branch = root.add(_heading(node, [before.name for before in order.nearest[node.urn]], colours[layer(node)]))
        _grow(branch, graph, node)
    return root


def _grow(branch: Tree, graph: Graph, parent: Node) -> None:
    """Siblings of one kind are one line where they are many: `--out` has each of them."""
    alike = groupby(graph.children(parent.urn), key=lambda node: node.urn if _special(node, graph) else node.kind)
    for siblings in (list(group) for _, group in alike):
        if len(siblings) >= MANY:
            branch.add(_lines(siblings))
            continue
        for node in siblings:
            _grow(branch.add(_line(node)), graph, node)


def _special(node: Node, graph: Graph) -> bool:
    """It has more to say than its kind and name."""
    return bool(waits_for_status(node) or _detail(node) or graph.children(node.urn))


def _lines(siblings: list[Node]) -> Text:
    first, last = siblings[0], siblings[-1]
    return Text.assemble((f"{len(siblings)} {first.kind} ", "dim"), first.name, (" … ", "dim"), last.name)


def _heading(node: Node, after: list[str], colour: str) -> Text:
    text = Text.assemble((node.name, f"bold {colour}"), " ", (node.kind, colour))
    if node.type.startswith(PROVIDER_PREFIX):
        text = Text.assemble((node.name, "bold"), " ", (f"{node.kind} provider", "dim"))
    elif node.custom or node.type in BUNDLES:
        text = _line(node)
    return text.append(f"  after {', '.join(after)}", style="dim") if after else text


def _line(node: Node) -> Text:
    if wait := waits_for_status(node):
        limit = f" within {timeout}" if (timeout := timeout_of(node)) else ""
        return Text.assemble(("gate ", "bold yellow"), node.name, (f"  {wait}{limit}", "yellow"))
    return Text.assemble((f"{node.kind} ", "dim"), node.name, (_detail(node), "dim"))


def _detail(node: Node) -> str:
    if node.type == RELEASE:
        return f"  {PurePosixPath(str(node.inputs.get('chart'))).name} {node.inputs.get('version', '')}"
    if node.type in BUNDLES:
        return f"  {node.inputs.get(BUNDLES[node.type])}"
    return ""


def _colours(graph: Graph) -> "Mapping[str, str]":
    layers = dict.fromkeys(layer(node) for node in graph.resources)
    return {layer: COLOURS[index % len(COLOURS)] for index, layer in enumerate(layers)}
