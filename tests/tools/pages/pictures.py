"""`docs/pictures/`: the layers, order and fabric of two example stacks, drawn from their plans (`make schema`)."""

from collections.abc import Iterator
from pathlib import Path

from bedplate.folders import PROJECT
from bedplate.plan.capture import capture
from bedplate.plan.pictures import pictures
from bedplate.plan.sizing import sizing

FOLDER = PROJECT / "docs" / "pictures"
STACKS = ("onprem-h100-roce", "eks-p5")


def files() -> Iterator[tuple[Path, str]]:
    """Each with what it shall hold."""
    for stack in STACKS:
        graph = capture(stack)
        for name, text in pictures(graph, sizing(graph.profile or {})):
            yield FOLDER / f"{stack}-{name}.svg", text


def write() -> None:
    """All of them."""
    FOLDER.mkdir(exist_ok=True)
    for path, text in files():
        path.write_text(text, encoding="utf-8")
