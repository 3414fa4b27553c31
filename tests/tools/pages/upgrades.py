"""The table of recorded steps in docs/upgrades.md, written from the records and their proofs."""

from collections.abc import Iterator

from bedplate.folders import PROJECT
from bedplate.upgrades.fields import fields
from bedplate.upgrades.proofs import Proof, proof
from bedplate.upgrades.records import Transition, Verdict, every

PAGE = PROJECT / "docs" / "upgrades.md"
BEGINS, ENDS = "<!-- table: make schema -->\n", "<!-- end of table -->\n"


def table() -> str:
    """A row for each step."""
    head = (
        "| Chart | From | To | Verdict | Fields dropped | Refused from now on | Back |\n|---|---|---|---|---|---|---|\n"
    )
    return head + "".join(_row(step) for step in every())


def _row(step: Transition) -> str:
    schemas, found = fields(step.chart, step.old, step.new), proof(step)
    dropped = {*(schemas.gone if schemas else ()), *(found.upgrade.get("pruned", ()) if found else ())}
    narrower = len(schemas.narrower) if schemas else 0
    cells = (step.chart, step.old, step.new, step.verdict.label, len(dropped) or "", narrower or "", _back(found))
    return f"| {' | '.join(map(str, cells))} |\n"


def _back(found: Proof | None) -> str:
    if found is None or found.worst == Verdict.BLOCKED:
        return ""
    return ", ".join(_ways(found)) or "all as it was"


def _ways(found: Proof) -> Iterator[str]:
    if found.back.get("definitionsRefused"):
        yield "refused by the API server"
    if found.back.get("pruned"):
        yield "what was dropped stays away"
    if found.back.get("changed"):
        yield "what was renamed stays so"
    if found.back.get("refused"):
        yield "some objects can no longer be written"


def written(text: str) -> str:
    """The page with the table as it should be."""
    before, _, rest = text.partition(BEGINS)
    return f"{before}{BEGINS}\n{table()}\n{ENDS}{rest.partition(ENDS)[2]}"


def write() -> None:
    """In place."""
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
