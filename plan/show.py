"""Print a plan: for machines as JSON, for people as a tree with the essentials below."""

import json
import sys
from collections.abc import Mapping
from typing import Any

from .graph import Graph

DISCLAIMER = "A preview of desired state: it does not know what is deployed."


def print_json(brief: Mapping[str, Any]) -> None:
    """One document on standard output."""
    json.dump(brief, sys.stdout, indent=2)
    sys.stdout.write("\n")


def print_tree(graph: Graph, brief: Mapping[str, Any]) -> None:
    """The tree, then counts, gates, and what is left to do."""
    from rich.console import Console  # noqa: PLC0415 - machines do not pay for it

    from .tree import tree  # noqa: PLC0415

    console = Console(highlight=False, soft_wrap=False, width=None if sys.stdout.isatty() else 80)
    console.print(tree(graph))
    console.print()
    for label, text in _facts(brief):
        console.print(f"[bold]{label}[/] {text}")
    console.print(f"[dim]{DISCLAIMER}[/]")


def _facts(brief: Mapping[str, Any]) -> list[tuple[str, str]]:
    counts = ", ".join(f"{number} {kind}" for kind, number in brief["counts"].items())
    facts = [(f"{sum(brief['counts'].values())} resources:", counts)]
    facts += [("warning:", text) for text in brief["warnings"]]
    if brief["secrets"]:
        facts.append(("to set before `pulumi up`:", ", ".join(brief["secrets"])))
    return facts
