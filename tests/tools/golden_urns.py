"""Write the URNs of every stack's resources into `tests/graph/urns/`: `python -m tests.tools.golden_urns [--drop URN]`.

A URN is a deployed resource's identity: one that changes is a resource deleted and made anew. So this refuses to drop
one that no resource claims by an alias, unless told to: a resource that is no longer wanted.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from bedplate.plan.graph import STACK_TYPE, Graph, Node
from tests.stack_files import STACKS, graph

FOLDER = Path(__file__).parents[1] / "graph" / "urns"


def golden(stack: str) -> list[str]:
    """The URNs that clusters in the field may have."""
    file = FOLDER / f"{stack}.txt"
    return file.read_text(encoding="utf-8").split("\n")[:-1] if file.exists() else []


def urns(declared: Graph) -> list[str]:
    """Those that the program declares now, sorted."""
    return sorted(node.urn for node in declared.resources)


def lost(stack: str, declared: Graph) -> list[str]:
    """Resources of the golden list that would be deleted: neither declared nor anybody's former self."""
    known = {node.urn for node in declared.resources} | set(former(declared))
    return [urn for urn in golden(stack) if urn not in known]


def former(declared: Graph) -> Iterator[str]:
    """Every URN that a resource claims by an alias of its own or of a component that holds it."""
    for node in declared.resources:
        head, _, own = node.urn.rpartition("::")[0].rpartition("::")
        for types in chains(declared, node):
            for name in (node.name, *_said(node, "name")):
                if (types, name) != (own, node.name):
                    yield f"{head}::{types}::{name}"


def chains(declared: Graph, node: Node) -> Iterator[str]:
    """The qualified types that a node has or had: its own, below each of its parents' and of a former parent's."""
    parent = declared.by_urn.get(node.parent)
    above = [""] if parent is None or parent.type == STACK_TYPE else [f"{one}$" for one in chains(declared, parent)]
    above += [f"{urn.split('::')[2]}$" for urn in _said(node, "parent")]
    yield from (f"{one}{own}" for one in above for own in (node.type, *_said(node, "type")))


def _said(node: Node, part: str) -> Iterator[str]:
    """One part of the node's aliases, as the plan records them (`type=a:b:C name=d`)."""
    words = (word for alias in node.options.aliases for word in alias.split(" "))
    return (value for key, _, value in (word.partition("=") for word in words) if key == part)


def main() -> int:
    """Bring the files up to date; exit 1 where that would lose a resource that nobody drops."""
    dropped = [word for word in sys.argv[1:] if word != "--drop"]
    FOLDER.mkdir(exist_ok=True)
    for stack in STACKS:
        if gone := [urn for urn in lost(stack, graph(stack)) if urn not in dropped]:
            print(f"{stack}: give the step or resource an alias first; lost would be\n" + "\n".join(gone))  # noqa: T201
            return 1
        (FOLDER / f"{stack}.txt").write_text("".join(f"{urn}\n" for urn in urns(graph(stack))), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
