"""Findings for people: by subject, within 80 columns, each subject with its page."""

import sys
import textwrap
from collections.abc import Mapping, Sequence
from itertools import groupby

from rich.text import Text

from bedplate.console import Console
from bedplate.live.finding import PAGES, Finding

TITLES = {
    "nodes": "Nodes",
    "gates": "Operators",
    "releases": "Releases",
    "agents": "What we run",
    "queues": "Queues",
    "ledger": "Ledger",
    "webhooks": "Webhooks and APIs",
    "kinds": "Kinds",
    "storage": "Storage",
    "teams": "Teams",
    "contract": "Workload contract",
    "networks": "Networks",
    "drift": "Drift",
    "version": "Kubernetes",
    "serving": "Model servers",
}
WIDTH = 80


def show(stack: str, found: Sequence[Finding], hidden: Mapping[str, str]) -> None:
    """The findings, what could not be seen, and the sum."""
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    for check, group in groupby(found, lambda one: one.check):
        console.print(Text(TITLES[check], "bold red"), Text(PAGES[check], "cyan"))
        for why, alike in groupby(group, lambda one: one.why):
            for one in alike:
                console.print(_paragraph(one.where, one.what, console.width))
            console.print(
                Text(textwrap.fill(why, console.width, initial_indent="    ", subsequent_indent="    "), "dim")
            )
    for kind, reason in hidden.items():
        console.print(_paragraph(f"not seen: {kind}", reason, console.width, "yellow"))
    console.print(Text(summary(stack, len(found), len(hidden)), "bold"))


def _paragraph(where: str, what: str, width: int, style: str = "") -> Text:
    lines = textwrap.fill(
        f"{where}: {what}", width, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False
    )
    text = Text(lines, style)
    text.stylize("bold", 0, len(where) + 3)
    return text


def summary(stack: str, found: int, hidden: int) -> str:
    """One line."""
    unseen = f"; {hidden} kinds could not be looked at" if hidden else ""
    if found:
        return f"{stack}: {found} finding{'s' if found > 1 else ''}{unseen}"
    return f"{stack}: no finding{unseen}" if hidden else f"{stack}: settled: the cluster is as its profile says"
