"""Fleets for people: in tables on a terminal, and in Markdown for a pull request."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.table import Column, Table

from bedplate.console import for_people
from bedplate.fleet.diff import Row
from bedplate.fleet.member import Formation
from bedplate.fleet.plans import Planned
from bedplate.review.danger import Danger
from bedplate.review.show import STYLES, cell, table

HEADS = ("cluster", "wave", "danger", "GPUs at risk", "what changes", "acknowledged")
LONGEST = 60_000
"""Characters: a comment of GitHub may have 65,536."""


def show_plans(formed: Formation, rows: Sequence[Planned]) -> None:
    """Each wave with its clusters."""
    console = for_people()
    grid = Table(Column("cluster", no_wrap=True), "wave", "GPUs", "resources", "set", "violated")
    for each in rows:
        state = each.fault or ", ".join(each.violated)
        grid.add_row(each.name, each.wave, str(each.gpus), str(each.resources), each.version_set or "newest", state)
    console.print(grid)
    gpus = sum(each.gpus for each in rows)
    console.print(f"{formed.fleet.name}: {len(rows)} clusters in {len(formed.waves)} waves, {gpus} GPUs", style="bold")


def show_rows(rows: Sequence[Row]) -> None:
    """The worst first."""
    grid = Table(Column(HEADS[0], no_wrap=True), *HEADS[1:])
    for row in rows:
        grid.add_row(*_cells(row), style=STYLES[row.danger] if row.changes else "dim")
    console = for_people()
    console.print(grid)
    console.print(in_all(rows), style="bold")


def _cells(row: Row) -> tuple[str, ...]:
    danger = row.danger.label if row.changes else ""
    risk = f"{row.at_risk} of {row.gpus}" if row.at_risk else ""
    before, now = (each or "newest" for each in row.version_sets)
    says = f"{row.says} (set {before} → {now})" if row.changes and before != now else row.says
    return row.name, row.wave, danger, risk, says, "; ".join(row.acknowledged)


def in_all(rows: Sequence[Row]) -> str:
    """One line."""
    changed = [row for row in rows if row.changes]
    worst = max((row.danger for row in changed), default=Danger.NOTHING)
    what = f"{len(changed)} of {len(rows)} clusters change"
    return f"{what}; worst: {worst.label}; {sum(row.at_risk for row in rows)} GPUs at risk" if changed else what


def markdown(name: str, rows: Sequence[Row]) -> str:
    """The table, and each cluster's changes folded away, as far as a comment holds them."""
    lines = [f"### What this does to fleet {name}", "", f"**{in_all(rows)}**", ""]
    lines += [f"| {' | '.join(HEADS)} |", f"|{'---|' * len(HEADS)}"]
    lines += [
        f"| {' | '.join(cell(each) for each in _cells(row))} |"
        for row in rows
        if row.changes or row.is_new or not row.wave
    ]
    text, left = "\n".join(lines) + "\n", 0
    for part in _details(rows):
        if left or len(text) + len(part) > LONGEST:
            left += 1
        else:
            text += part
    return f"{text}\n{left} clusters' changes are left out here: `bedplate fleet diff`\n" if left else text


def _details(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        if loud := [each for each in row.changes if each.judgement.danger > Danger.NOTHING]:
            head = f"{row.name}: {row.says}"
            yield f"\n<details><summary>{head}</summary>\n\n{table(loud)}\n</details>\n"


def show_status(rows: Mapping[str, Any]) -> None:
    """Each cluster's step."""
    console = for_people()
    grid = Table(Column("cluster", no_wrap=True), "wave", "step", "since", "says")
    for each in rows["clusters"]:
        grid.add_row(each["cluster"], each["wave"], each["step"], each["since"] or "", each["says"])
    console.print(grid)
    leads = f"led by {rows['leader']}" if rows["leader"] else "nobody leads"
    paused = f"; paused since {rows['paused']}" if rows["paused"] else ""
    console.print(f"{rows['fleet']}: rollout {rows['rollout'] or 'none yet'}; {leads}{paused}", style="bold")
