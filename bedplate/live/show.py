"""Findings for people: by subject, within 80 columns, each subject with its page."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from rich.text import Text

from bedplate.console import for_people
from bedplate.live.finding import SUBJECTS, Finding
from bedplate.naming import with_commands


def show(stack: str, findings: Sequence[Finding], hidden: Mapping[str, str]) -> None:
    """The findings, what could not be seen, and the sum."""
    console = for_people()
    for check, group in groupby(findings, lambda finding: finding.check):
        console.print(Text(SUBJECTS[check].title, "bold red"), Text(with_commands(SUBJECTS[check].page), "cyan"))
        for why, alike in groupby(group, lambda finding: finding.why):
            for finding in alike:
                text = f"{finding.where}: {finding.what}"
                console.paragraph(text, bold=len(finding.where) + 3, first="  ", rest="      ")
            console.paragraph(why, "dim", first="    ", rest="    ")
    for kind, reason in hidden.items():
        head = f"not seen: {kind}"
        console.paragraph(f"{head}: {reason}", "yellow", bold=len(head) + 3, first="  ", rest="      ")
    console.print(Text(summary(stack, len(findings), len(hidden)), "bold"))


def summary(stack: str, findings: int, hidden: int) -> str:
    """One line with the number of findings, and of kinds that could not be listed."""
    unseen = f"; {hidden} kinds could not be looked at" if hidden else ""
    if findings:
        return f"{stack}: {findings} finding{'s' if findings > 1 else ''}{unseen}"
    return f"{stack}: no finding{unseen}" if hidden else f"{stack}: settled: the cluster is as its profile says"
