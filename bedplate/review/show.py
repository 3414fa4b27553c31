"""Findings for people: coloured on a terminal, as Markdown in a pull request."""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from bedplate.review.danger import Danger
from bedplate.review.findings import Finding

SHOWN = 4
"""Fields that a line may name; the rest is counted."""
WIDE = 48
STYLES = {
    Danger.NOTHING: "green",
    Danger.ROLLS_PODS: "cyan",
    Danger.UNKNOWN: "magenta",
    Danger.REFUSED: "magenta",
    Danger.EVICTS_JOBS: "yellow",
    Danger.RELOADS: "yellow",
    Danger.REPLACES_NODES: "red",
    Danger.LOSES_QUOTA: "red",
    Danger.LOSES_DATA: "bold red",
}


def show(found: list[Finding], reach: str, cost: str = "") -> None:
    """The dangerous first, each with its reason."""
    from rich.text import Text  # noqa: PLC0415

    from bedplate.console import for_people  # noqa: PLC0415 - machines do not pay for it

    console = for_people()
    for danger, group in groupby(found, lambda one: one.judgement.danger):
        console.print(Text(danger.label.upper(), STYLES[danger]))
        for one in group:
            console.print(Text(f"  {one.title}", "bold"))
            for line in _lines(one):
                console.paragraph(line, "dim", first="    ", rest="      ")
    console.print(Text(summary(found), "bold"))
    for text in filter(None, (reach, cost)):
        console.paragraph(text, rest="")


def _lines(finding: Finding) -> Iterator[str]:
    yield finding.judgement.reason + (f" ({finding.judgement.source})" if finding.judgement.source else "")
    if finding.acknowledged:
        yield f"acknowledged: {finding.acknowledged}"
    yield from fields(finding)


def fields(finding: Finding) -> Iterator[str]:
    """What differs, old and new."""
    for field in finding.change.fields[:SHOWN]:
        yield f"{field.path}: {_short(field.old)} → {_short(field.new)}"
    if len(finding.change.fields) > SHOWN:
        yield f"and {len(finding.change.fields) - SHOWN} more"


def _short(value: object) -> str:
    text = "absent" if value is None else str(value)
    return text if len(text) <= WIDE else f"{text[: WIDE - 1]}…"


def summary(found: list[Finding]) -> str:
    """How many of each, the dangerous first."""
    counts = Counter(one.judgement.danger for one in found)
    return ", ".join(f"{counts[danger]} × {danger.label}" for danger in sorted(counts, reverse=True)) or "no change"


def markdown(found: list[Finding], reach: str, cost: str = "") -> str:
    """A table that a pull request shows; what does nothing is folded away."""
    loud = [one for one in found if one.judgement.danger > Danger.NOTHING]
    quiet = [one for one in found if one.judgement.danger == Danger.NOTHING]
    parts = [f"### What this does to the running cluster\n\n**{summary(found)}**{f' · {reach}' if reach else ''}\n"]
    if cost:
        parts.append(f"Cost: {cost}\n")
    if loud:
        parts.append(table(loud))
    if quiet:
        parts.append(
            f"<details><summary>{len(quiet)} that do nothing to what runs</summary>\n\n{table(quiet)}\n</details>\n"
        )
    return "\n".join(parts)


def table(found: list[Finding]) -> str:
    """In Markdown, a row for each."""
    rows = [
        f"| {one.judgement.danger.label} | {cell(one.title)} | {cell(one.judgement.reason)} | "
        f"{cell(one.acknowledged or '; '.join(fields(one)))} |"
        for one in found
    ]
    return "\n".join(["| danger | change | why | what differs |", "|---|---|---|---|", *rows]) + "\n"


def cell(text: str) -> str:
    """Text that breaks no table of Markdown."""
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
