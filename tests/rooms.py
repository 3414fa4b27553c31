"""The rooms of the house: where each lies, and how its parts stand upon each other.

A room is a folder with an `__init__.py` in `bedplate/`, some of them by a link, or at the top of the repository. Who
may import whom stands in pyproject.toml (`tool.importlinter`).
"""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMMAND = "bedplate"
"""The command line: a room of its own, and the package that the others lie in."""


def rooms() -> set[str]:
    """Every room that there is, whoever knows of it."""
    tops = (ROOT, ROOT / COMMAND)
    return {COMMAND, *(one.parent.name for top in tops for one in top.glob("*/__init__.py"))} - {"tests"}


ROOMS = tuple(sorted(rooms()))


def folder(room: str) -> Path:
    """Where a room lies."""
    below = ROOT / COMMAND / room
    return ROOT / room if room == COMMAND or not below.is_dir() else below


def modules(room: str) -> Iterator[Path]:
    """Every Python file of a room; of the command line's without the rooms below it."""
    for path in sorted(folder(room).rglob("*.py")):
        if room_of(path) == room:
            yield path


def room_of(path: Path) -> str:
    """The room that a file belongs to."""
    top, *below = path.relative_to(ROOT).parts
    place = below[0] if top == COMMAND else top
    return place if place in rooms() else COMMAND


def inside(module: str) -> str:
    """A module's name from its room on: `bedplate.components.chart`, wherever the rooms lie."""
    below = module.removeprefix(f"{COMMAND}.")
    return below if below.split(".")[0] in rooms() else module


def imports(path: Path) -> Iterator[str]:
    """What a file imports, each by its name from its room on; relative ones are resolved."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (inside(name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            source = ".".join((*above, *([node.module] if node.module else [])))
            yield inside(source)
            # `from bedplate.stacks import load` takes a module as well as a name would be taken.
            yield from (inside(f"{source}.{one.name}") for one in node.names)


def arrows(room: str, depth: int = 1) -> Iterator[tuple[str, str, Path]]:
    """Every import from one part of a room, a folder or a file, into another; with more depth, from file to file."""
    for path in modules(room):
        parts = path.relative_to(folder(room)).with_suffix("").parts[:depth]
        here = ".".join(parts).removesuffix(".__init__")
        for name in imports(path):
            top, *below = inside(name).split(".")
            there = ".".join(below[:depth])
            if top == room and there and there != here:
                yield here, there, path


def floors(room: str, depth: int = 1) -> int:
    """The longest way down through the parts of a room: how many stand upon each other."""
    below: dict[str, set[str]] = {}
    for here, there, _ in arrows(room, depth):
        below.setdefault(here, set()).add(there)
    high: dict[str, int] = {}
    for part in TopologicalSorter(below).static_order():
        high[part] = 1 + max((high[other] for other in below.get(part, ())), default=0)
    return max(high.values())
