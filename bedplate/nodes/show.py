"""Nodes for people, within 80 columns, and for machines."""

from collections.abc import Sequence

from rich.text import Text

from bedplate.answer import answer
from bedplate.cluster.objects import name
from bedplate.console import Console, for_people
from bedplate.nodes.desk import Told
from bedplate.nodes.pods import held


def show(stack: str, told: Sequence[Told], *, whole: bool) -> None:
    """Whole: each node with its story; else those alone that no job gets, and the sum."""
    console = for_people()
    for one in told:
        if whole or one.obstacles:
            console.print(Text(f"{name(one.node)} (pool {one.pool.name})", "bold red" if one.obstacles else "bold"))
            _lines(console, one)
    if not whole:
        out = sum(bool(one.obstacles) for one in told)
        console.print(Text(f"{stack}: {len(told) - out} of {len(told)} nodes of pools take jobs", "bold"))


def _lines(console: Console, one: Told) -> None:
    for at, text in one.moments:
        console.paragraph(f"{at:%Y-%m-%d %H:%M}  {text}", first="  ", rest=" " * 20)
    for obstacle in one.obstacles:
        console.paragraph(f"now: {obstacle}", "yellow", first="  ", rest="    ")
    for pod in one.pods:
        console.paragraph(f"holds: {held(pod)}", first="  ", rest="    ")


def as_json(stack: str, told: Sequence[Told], *, whole: bool) -> None:
    """Every node; times in RFC 3339."""
    nodes = [
        {
            "node": name(one.node),
            "pool": one.pool.name,
            "obstacles": one.obstacles,
            "moments": [{"at": at.isoformat(), "text": text} for at, text in one.moments],
            "pods": [held(pod) for pod in one.pods],
        }
        for one in told
        if whole or one.obstacles
    ]
    answer("Nodes", {"stack": stack, "nodes": nodes})
