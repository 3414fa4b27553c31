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
        for one in (one for one in looked.findings if one.grade == grade):
            console.paragraph(f"{grade}: {one}", style, bold=len(grade) + 1)
    counts = [(grade, sum(one.grade == grade for one in looked.findings)) for grade in STYLES]
    said = ", ".join(f"{number} {grade}" for grade, number in counts if number) or "nothing is short"
    console.print(Text(f"{looked.asked} questions asked: {said}", "bold"))
