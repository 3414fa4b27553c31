"""Findings for people, the gravest first, within 80 columns."""

import sys
from textwrap import fill
from typing import TextIO

from rich.text import Text

from bedplate.console import Console
from bedplate.preflight.asked import Looked

STYLES = {"short": "red", "unknown": "magenta", "advice": "yellow"}


def show(looked: Looked, out: TextIO | None = None) -> None:
    """A paragraph each, then the sum."""
    console = Console(file=out, width=None if (out or sys.stdout).isatty() else 80)
    for grade, style in STYLES.items():
        for one in (one for one in looked.findings if one.grade == grade):
            text = Text(fill(f"{grade}: {one}", console.width, subsequent_indent="  ", break_on_hyphens=False), style)
            text.stylize("bold", 0, len(grade) + 1)
            console.print(text)
    counts = [(grade, sum(one.grade == grade for one in looked.findings)) for grade in STYLES]
    said = ", ".join(f"{number} {grade}" for grade, number in counts if number) or "nothing is short"
    console.print(Text(f"{looked.asked} questions asked: {said}", "bold"))
