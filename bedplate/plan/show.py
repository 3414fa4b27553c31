"""Print a plan: for machines as JSON, for people as a tree with the essentials below."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bedplate.answer import answer

from .graph import Graph

STYLES = {"mandatory": "red", "advisory": "yellow", "waived": "dim"}
"""Of verdicts, the gravest first."""
DISCLAIMER = "A preview of desired state: it does not know what is deployed."


def print_json(brief: Mapping[str, Any]) -> None:
    """One document on standard output."""
    answer("Plan", brief)


def print_tree(graph: Graph, brief: Mapping[str, Any]) -> None:
    """The tree, then how much of what, how big, and what is left to do."""
    from bedplate.console import for_people  # noqa: PLC0415 - machines do not pay for it

    from .tree import tree  # noqa: PLC0415

    console = for_people()
    console.print(tree(graph))
    console.print()
    for label, text, style in _facts(brief):
        console.paragraph(f"{label}: {text}", style, bold=len(label) + 1)
    console.paragraph(DISCLAIMER, "dim")


def print_place(folder: Path) -> None:
    """Where the files went."""
    sys.stdout.write(f"Written to {folder}; open report.html there.\n")


def _facts(brief: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Label, text and style of each line."""
    counts: Mapping[str, int] = brief["counts"]
    yield f"{sum(counts.values())} resources", ", ".join(_count(number, kind) for kind, number in counts.items()), ""
    if brief["sizing"]:
        yield "Size", _size(brief["sizing"]), ""
        yield "Cost", brief["sizing"]["cost"]["text"], ""
        for advisory in brief["sizing"]["fit"]:
            yield f"Fits {advisory['kind']} {advisory['name']}", advisory["text"], ""
    if brief["sizing"] and not brief["verdicts"]:
        yield "Policies", "no complaint", ""
    yield from _verdicts(brief["verdicts"])
    for advisory in brief["advisories"]:
        yield "Advisory", advisory["text"], "yellow"
    if brief["unread"]:
        yield "Not read here", "; ".join(brief["unread"]), ""
    for text in brief["warnings"]:
        yield "Warning", text, "yellow"
    if brief["lookups"]:
        yield "Looked up only at `pulumi up`", ", ".join(brief["lookups"]), ""
    for text in brief["needs"]:
        yield "Needs of the cluster", text, ""
    if brief["secrets"]:
        how = "by `bedplate pulumi config ENV set --secret KEY`"
        yield "To set before `bedplate up`", f"{', '.join(brief['secrets'])}, {how}", "yellow"


def _verdicts(verdicts: list[Mapping[str, str]]) -> Iterator[tuple[str, str, str]]:
    for severity, style in STYLES.items():
        for verdict in verdicts:
            if verdict["severity"] == severity:
                yield f"{severity.capitalize()} {verdict['rule']}", verdict["message"], style


def _count(number: int, what: str) -> str:
    """A number and its noun, which no line break parts."""
    return f"{number}\N{NO-BREAK SPACE}{what}"


def _size(sizing: Mapping[str, Any]) -> str:
    pools = [f"{pool['name']} {pool['nodes']}\N{MULTIPLICATION SIGN}{pool['shape']}" for pool in sizing["pools"]]
    fabric = sizing["fabric"]
    rails = f" on {fabric['rails']} rails" if fabric["rails"] else ""
    kind = "no fabric" if fabric["kind"] == "none" else f"{fabric['kind']}{rails}"
    totals = f"{_count(sizing['nodes'], 'nodes')}, {_count(sizing['gpus'], 'GPUs')}, {kind}"
    return f"{totals}; pools: {', '.join(pools)}"
