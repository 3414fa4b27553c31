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


def show(ways: list[Upgrade]) -> None:
    """Verdict, steps, sources, and what comes and goes."""
    console = Console(width=None if sys.stdout.isatty() else 80)
    if not ways:
        console.print("Every chart is at this release's pin.")
    for way in ways:
        console.print(Text(f"{way.chart} {way.old} → {way.new}: {way.verdict.label}", f"bold {STYLES[way.verdict]}"))
        for line in _lines(way):
            console.print(Text(fill(line, console.width, initial_indent="  ", subsequent_indent="      ")))


def _lines(way: Upgrade) -> Iterator[str]:
    yield from way.taken
    if not way.steps:
        yield "no record of this way: try it on the lab first (docs/upgrades.md)"
    for step in way.steps:
        yield f"{step.old} → {step.new}: {step.verdict.label}{f'; drains {step.drains}' if step.drains else ''}"
        yield from (f"  {line}" for line in _tried(step))
        yield from (f"  {number}. {do}" for number, do in enumerate(step.steps, 1))
        yield f"  source: {'; '.join(step.sources)}"
    yield from _difference("fields of custom resources", way.fields)
    yield from _difference("keys of values", way.keys)
    yield from (f"the profile sets {key}, which the new release does not read: remove it" for key in way.dead)


def _tried(step: Transition) -> Iterator[str]:
    tried = proof(step)
    return iter(("nobody tried it",)) if tried is None else tried.says()


def _difference(what: str, difference: Difference | None) -> Iterator[str]:
    if difference is None:
        yield f"{what}: not known for both releases"
        return
    for how, names in (
        ("gone", difference.gone),
        ("new", difference.come),
        ("refused from now on", difference.narrower),
    ):
        if names:
            more = f" and {len(names) - SHOWN} more (--json)" if len(names) > SHOWN else ""
            yield f"{what}, {how}: {', '.join(names[:SHOWN])}{more}"
