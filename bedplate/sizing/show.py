"""Figures as a table for people, at the terminal's width or 80 columns."""

from itertools import groupby

from rich.table import Table
from rich.text import Text

from bedplate.console import for_people
from bedplate.sizing.figures import Figure, short


def show(figures: list[Figure]) -> None:
    """A block for each topic: what, how much, and the arithmetic beside it."""
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column()
    table.add_column(style="dim", overflow="fold")
    for topic, rows in groupby(figures, lambda figure: figure.topic):
        table.add_row(Text(topic.capitalize(), "bold cyan"))
        for row in rows:
            value = row.value if isinstance(row.value, str) else short(row.value)
            table.add_row(f"  {row.name}", value, row.unit, row.arithmetic)
    for_people().print(table)
