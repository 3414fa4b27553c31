"""Findings for people: by subject, within 80 columns, each subject with its page."""

import sys
import textwrap
from collections.abc import Mapping, Sequence
from itertools import groupby

from rich.text import Text

from bedplate.console import Console
from bedplate.live.finding import SUBJECTS, Finding

WIDTH = 80


def show(stack: str, findings: Sequence[Finding], hidden: Mapping[str, str]) -> None:
    """The findings, what could not be seen, and the sum."""
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    for check, group in groupby(findings, lambda finding: finding.check):
        console.print(Text(SUBJECTS[check].title, "bold red"), Text(SUBJECTS[check].page, "cyan"))
        for why, alike in groupby(group, lambda finding: finding.why):
            for finding in alike:
                console.print(_paragraph(finding.where, finding.what, console.width))
            reason = textwrap.fill(why, console.width, initial_indent="    ", subsequent_indent="    ")
            console.print(Text(reason, "dim"))
    for kind, reason in hidden.items():
        console.print(_paragraph(f"not seen: {kind}", reason, console.width, "yellow"))
    console.print(Text(summary(stack, len(findings), len(hidden)), "bold"))


def _paragraph(where: str, what: str, width: int, style: str = "") -> Text:
    lines = textwrap.fill(
        f"{where}: {what}", width, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False
    )
    text = Text(lines, style)
    text.stylize("bold", 0, len(where) + 3)
    return text


def summary(stack: str, findings: int, hidden: int) -> str:
    """One line with the number of findings, and of kinds that could not be listed."""
    unseen = f"; {hidden} kinds could not be looked at" if hidden else ""
    if findings:
        return f"{stack}: {findings} finding{'s' if findings > 1 else ''}{unseen}"
    return f"{stack}: no finding{unseen}" if hidden else f"{stack}: settled: the cluster is as its profile says"
