"""Findings for people, the gravest first, within 80 columns."""

from typing import TextIO

from rich.text import Text

from bedplate.console import for_people
from bedplate.preflight.asked import Looked

STYLES = {"short": "red", "unknown": "magenta", "advice": "yellow"}


def show(looked: Looked, out: TextIO | None = None) -> None:
    """A paragraph each, then the sum."""
    console = for_people(out)
    for grade, style in STYLES.items():
        for shown in (finding for finding in looked.findings if finding.grade == grade):
            console.paragraph(f"{grade}: {shown}", style, bold=len(grade) + 1)
    counts = [(grade, sum(finding.grade == grade for finding in looked.findings)) for grade in STYLES]
    sentence = ", ".join(f"{number} {grade}" for grade, number in counts if number) or "nothing is short"
    console.print(Text(f"{looked.asked} questions asked: {sentence}", "bold"))
