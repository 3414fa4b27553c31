"""An outcome for people, for machines, for CI's list of tests, and as a page that needs nothing else."""

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET  # only written here, never read

from bedplate.answer import answered
from bedplate.verify.outcome import Case, Outcome

TEMPLATE = Path(__file__).with_name("page.html.jinja")
ORDER = ("failed", "unknown", "passed")
_STYLES = {"failed": "bold red", "unknown": "yellow", "passed": "green"}
NO_CHARACTERS = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
SHOWN = 12
"""Passed cases of one check that people are shown by name."""


def cases(outcome: Outcome) -> list[Case]:
    """What is not well first."""
    return sorted(outcome.cases, key=lambda case: ORDER.index(case.status))


def show(outcome: Outcome) -> None:
    """What is not well line by line, and of what passed a line for each check."""
    from bedplate.console import for_people  # noqa: PLC0415 - machines do not pay for it

    console = for_people()
    for style, line in lines(outcome):
        console.paragraph(line, style)


def lines(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """Each with its style."""
    for case in cases(outcome):
        if case.status != "passed":
            yield _STYLES[case.status], f"{case.status} {case.check} {case.subject}: {case.text}"
    for check in dict.fromkeys(case.check for case in outcome.cases):
        well = [case.subject for case in outcome.cases if (case.check, case.status) == (check, "passed")]
        more = f" and {len(well) - SHOWN} more" if len(well) > SHOWN else ""
        if well:
            yield _STYLES["passed"], f"passed {check}: {', '.join(well[:SHOWN])}{more}"
    yield from (("dim", f"not checked: {text}") for text in outcome.not_checked)
    yield "bold", ", ".join(f"{number} {status}" for status, number in outcome.counts.items())


def as_json(outcome: Outcome) -> str:
    """For machines."""
    return answered("Verification", outcome.as_json())


def junit(outcome: Outcome) -> str:
    """As CI systems read tests: a failure for what failed, an error for what is not known."""
    counts = {"tests": len(outcome.cases), "failures": outcome.counts["failed"], "errors": outcome.counts["unknown"]}
    suite = ET.Element(
        "testsuite", {"name": f"bedplate verify {outcome.stack}"} | {k: str(v) for k, v in counts.items()}
    )
    for case in outcome.cases:
        one = ET.SubElement(suite, "testcase", {"classname": case.check, "name": case.subject})
        if case.status != "passed":
            ET.SubElement(one, "failure" if case.status == "failed" else "error", {"message": readable(case.text)})
        elif case.text:
            ET.SubElement(one, "system-out").text = readable(case.text)
    for text in outcome.not_checked:
        one = ET.SubElement(suite, "testcase", {"classname": "not checked", "name": readable(text)})
        ET.SubElement(one, "skipped")
    suite.set("tests", str(len(suite)))
    suite.set("skipped", str(len(outcome.not_checked)))
    return ET.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def readable(text: str) -> str:
    """Without what a log may hold and XML may not (XML 1.0, Char): a colour's escape spoils the whole file."""
    return NO_CHARACTERS.sub("\N{REPLACEMENT CHARACTER}", text)


def page(outcome: Outcome) -> str:
    """HTML."""
    import jinja2  # noqa: PLC0415 - only a written page pays for the template engine

    made = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    template = made.from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(outcome=outcome, cases=cases(outcome))
