"""Roads, sets and findings for people, and roads for machines."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from bedplate.console import for_people
from bedplate.releases.check import Finding, Item
from bedplate.releases.road import Road, Stage
from bedplate.upgrades.proofs import proof
from bedplate.upgrades.show import STYLES

FIRST, REST = "  ", "      "
"""Indents of what is said of one thing."""


def show(stack: str, way: Road) -> None:
    """Each stage with its verdict, whom it drains, and what to do before."""
    console = for_people()
    number = f"{len(way.stages)} stage{'' if len(way.stages) == 1 else 's'}"
    console.print(Text(f"{stack}: {way.other} → {way.end.here}, {number}", "bold"))
    if way.first == "deploy":
        console.print("  what is deployed comes once more first, and is looked at")
    for index, stage in enumerate(way.stages, 1):
        title = f"{index}. {stage.name} {stage.old} → {stage.new}: {stage.verdict.label}"
        console.print(Text(title, f"bold {STYLES[stage.verdict]}"))
        for line in lines(stage):
            console.paragraph(line, first=FIRST, rest=REST)
    for name in way.held:
        console.print(Text(f"{name} stays: the profile itself holds its version", "yellow"))


def lines(stage: Stage) -> Iterator[str]:
    """What is to be known of a stage."""
    if stage.way is None:
        yield "pods that run this image begin anew: `bedplate diff` says which"
        return
    yield from stage.way.taken
    if not stage.way.steps:
        yield "no record of this way: try it on the lab first (docs/upgrades.md)"
    for step in stage.way.steps:
        if step.drains:
            yield f"drains {step.drains}"
        if stage.back:
            seen = proof(step)
            yield [*seen.says()][1] if seen else "nobody tried the way back"
        else:
            yield from (f"{number}. {do}" for number, do in enumerate(step.steps, 1))


def as_json(way: Road) -> dict[str, Any]:
    """What a machine reads."""
    return {
        "from": way.start.keys,
        "to": way.end.here,
        "verdict": way.verdict.label,
        "held": way.held,
        "stages": [
            {
                "name": stage.name,
                "from": stage.old,
                "to": stage.new,
                "back": stage.back,
                "verdict": stage.verdict.label,
                "known": stage.way.as_json() if stage.way else None,
            }
            for stage in way.stages
        ],
    }


def show_set(name: str, said: Mapping[str, Any]) -> None:
    """Each entry with what was proven of it, and what not."""
    console = for_people()
    low, high = said["kubernetes"]
    console.print(Text(f"{name}: Kubernetes {low} to {high}", "bold"))
    for chart, entry in said["charts"].items():
        driver = f", driver {entry['driver']}" if "driver" in entry else ""
        console.print(Text(f"{chart} {entry['version']}{driver}", "bold"))
        words = (("proven", "proven"), ("unproven", "not proven"), ("newer", "newer"), ("digest", "digest"))
        for key, word in words:
            text = entry.get(key, "")
            if text:
                line = f"{word}: {text if isinstance(text, str) else ', '.join(text)}"
                console.paragraph(line, first=FIRST, rest=REST)
    for repository, tag in said["images"].items():
        console.print(f"image {repository}:{tag}")


def show_findings(name: str, found: Sequence[Finding], items: Sequence[Item], *, asked: bool) -> None:
    """The gravest first, then what nobody was asked about."""
    console = for_people()
    for one in found:
        console.print(
            Text(f"{one.severity}: {one.item} {one.version}: {one.id}", "yellow" if one.stays else "bold red")
        )
        fixed = f"; fixed in {one.fixed}" if one.fixed else "; nobody says where it is fixed"
        console.paragraph(f"{one.what}{fixed} ({one.source})", first=FIRST, rest=REST)
        if one.stays:
            console.paragraph(f"stays in {name}: {one.stays}", first=FIRST, rest=REST)
    unasked = ", ".join(one.name for one in items if not one.package) if asked else "all, as --offline says"
    if unasked:
        console.paragraph(f"not asked of OSV: {unasked}", "dim", rest="")
    console.print(Text(f"{name}: {len(found)} advisories in {len(items)} releases", "bold"))
