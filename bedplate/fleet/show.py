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


def show_plans(formed: Formation, found: Sequence[Planned]) -> None:
    """Each wave with its clusters."""
    console = for_people()
    grid = Table(Column("cluster", no_wrap=True), "wave", "GPUs", "resources", "set", "violated")
    for one in found:
        state = one.fault or ", ".join(one.violated)
        grid.add_row(one.name, one.wave, str(one.gpus), str(one.resources), one.version_set or "newest", state)
    console.print(grid)
    gpus = sum(one.gpus for one in found)
    console.print(f"{formed.fleet.name}: {len(found)} clusters in {len(formed.waves)} waves, {gpus} GPUs", style="bold")


def show_rows(found: Sequence[Row]) -> None:
    """The worst first."""
    grid = Table(Column(HEADS[0], no_wrap=True), *HEADS[1:])
    for row in found:
        grid.add_row(*_cells(row), style=STYLES[row.danger] if row.found else "dim")
    console = for_people()
    console.print(grid)
    console.print(in_all(found), style="bold")


def _cells(row: Row) -> tuple[str, ...]:
    danger = row.danger.label if row.found else ""
    risk = f"{row.at_risk} of {row.gpus}" if row.at_risk else ""
    moved = (
        " → ".join(one or "newest" for one in row.version_sets) if len({*row.version_sets}) > 1 and row.found else ""
    )
    says = f"{row.says} (set {moved})" if moved else row.says
    return row.name, row.wave, danger, risk, says, "; ".join(row.acknowledged)


def in_all(found: Sequence[Row]) -> str:
    """One line."""
    changed = [row for row in found if row.found]
    worst = max((row.danger for row in changed), default=Danger.NOTHING)
    what = f"{len(changed)} of {len(found)} clusters change"
    return f"{what}; worst: {worst.label}; {sum(row.at_risk for row in found)} GPUs at risk" if changed else what


def markdown(name: str, found: Sequence[Row]) -> str:
    """The table, and each cluster's changes folded away, as far as a comment holds them."""
    lines = [f"### What this does to fleet {name}", "", f"**{in_all(found)}**", ""]
    lines += [f"| {' | '.join(HEADS)} |", f"|{'---|' * len(HEADS)}"]
    lines += [
        f"| {' | '.join(cell(one) for one in _cells(row))} |"
        for row in found
        if row.found or row.is_new or not row.wave
    ]
    text, left = "\n".join(lines) + "\n", 0
    for part in _details(found):
        if left or len(text) + len(part) > LONGEST:
            left += 1
        else:
            text += part
    return f"{text}\n{left} clusters' changes are left out here: `bedplate fleet diff`\n" if left else text


def _details(found: Sequence[Row]) -> Iterator[str]:
    for row in found:
        if loud := [one for one in row.found if one.judgement.danger > Danger.NOTHING]:
            head = f"{row.name}: {row.says}"
            yield f"\n<details><summary>{head}</summary>\n\n{table(loud)}\n</details>\n"


def show_status(found: Mapping[str, Any]) -> None:
    """Each cluster's step."""
    console = for_people()
    grid = Table(Column("cluster", no_wrap=True), "wave", "step", "since", "says")
    for one in found["clusters"]:
        grid.add_row(one["cluster"], one["wave"], one["step"], one["since"] or "", one["says"])
    console.print(grid)
    leads = f"led by {found['leader']}" if found["leader"] else "nobody leads"
    paused = f"; paused since {found['paused']}" if found["paused"] else ""
    console.print(f"{found['fleet']}: rollout {found['rollout'] or 'none yet'}; {leads}{paused}", style="bold")
