"""Ways of charts for people, coloured by their verdicts."""

import sys
from collections.abc import Iterator
from textwrap import fill

from rich.text import Text

from bedplate.console import Console
from bedplate.upgrades.fields import Difference
from bedplate.upgrades.proofs import proof
from bedplate.upgrades.records import Transition, Verdict
from bedplate.upgrades.upgrade import Upgrade

SHOWN = 12
"""Fields and keys that people see; `--json` has all."""
STYLES = {Verdict.SAFE: "green", Verdict.MANUAL: "yellow", Verdict.UNKNOWN: "magenta", Verdict.BLOCKED: "red"}


def show(found: list[Upgrade]) -> None:
    """Verdict, steps, sources, and what comes and goes."""
    console = Console(width=None if sys.stdout.isatty() else 80)
    if not found:
        console.print("Every chart is at this release's pin.")
    for each in found:
        console.print(
            Text(f"{each.chart} {each.old} → {each.new}: {each.verdict.label}", f"bold {STYLES[each.verdict]}")
        )
        for line in _lines(each):
            console.print(Text(fill(line, console.width, initial_indent="  ", subsequent_indent="      ")))


def _lines(each: Upgrade) -> Iterator[str]:
    yield from each.taken
    if not each.steps:
        yield "no record of this way: try it on the lab first (docs/upgrades.md)"
    for step in each.steps:
        yield f"{step.old} → {step.new}: {step.verdict.label}{f'; drains {step.drains}' if step.drains else ''}"
        yield from (f"  {line}" for line in _tried(step))
        yield from (f"  {number}. {do}" for number, do in enumerate(step.steps, 1))
        yield f"  source: {'; '.join(step.sources)}"
    yield from _difference("fields of custom resources", each.fields)
    yield from _difference("keys of values", each.keys)
    yield from (f"the profile sets {key}, which the new release does not read: remove it" for key in each.dead)


def _tried(step: Transition) -> Iterator[str]:
    found = proof(step)
    return iter(("nobody tried it",)) if found is None else found.says()


def _difference(what: str, found: Difference | None) -> Iterator[str]:
    if found is None:
        yield f"{what}: not known for both releases"
        return
    for how, some in (("gone", found.gone), ("new", found.come), ("refused from now on", found.narrower)):
        if some:
            more = f" and {len(some) - SHOWN} more (--json)" if len(some) > SHOWN else ""
            yield f"{what}, {how}: {', '.join(some[:SHOWN])}{more}"
