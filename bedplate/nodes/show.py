"""Nodes for people, within 80 columns, and for machines."""

from collections.abc import Sequence

from rich.text import Text

from bedplate.answer import answer
from bedplate.cluster.objects import name
from bedplate.console import Console, for_people
from bedplate.nodes.desk import NodeStatus
from bedplate.nodes.pods import held


def show(stack: str, statuses: Sequence[NodeStatus], *, whole: bool) -> None:
    """Whole: each node with its story; else those alone that no job gets, and the sum."""
    console = for_people()
    for status in statuses:
        if whole or status.obstacles:
            console.print(
                Text(f"{name(status.node)} (pool {status.pool.name})", "bold red" if status.obstacles else "bold")
            )
            _lines(console, status)
    if not whole:
        out = sum(bool(status.obstacles) for status in statuses)
        console.print(Text(f"{stack}: {len(statuses) - out} of {len(statuses)} nodes of pools take jobs", "bold"))


def _lines(console: Console, status: NodeStatus) -> None:
    for at, text in status.moments:
        console.paragraph(f"{at:%Y-%m-%d %H:%M}  {text}", first="  ", rest=" " * 20)
    for obstacle in status.obstacles:
        console.paragraph(f"now: {obstacle}", "yellow", first="  ", rest="    ")
    for pod in status.pods:
        console.paragraph(f"holds: {held(pod)}", first="  ", rest="    ")


def as_json(stack: str, statuses: Sequence[NodeStatus], *, whole: bool) -> None:
    """Every node; times in RFC 3339."""
    nodes = [
        {
            "node": name(status.node),
            "pool": status.pool.name,
            "obstacles": status.obstacles,
            "moments": [{"at": at.isoformat(), "text": text} for at, text in status.moments],
            "pods": [held(pod) for pod in status.pods],
        }
        for status in statuses
        if whole or status.obstacles
    ]
    answer("Nodes", {"stack": stack, "nodes": nodes})
