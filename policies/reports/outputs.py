"""Verdicts for people, for programs and for the tools that annotate a pull request."""

import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby

from bedplate.answer import answered
from bedplate.policies.judging.verdict import Verdict
from bedplate.policies.reports.junit import junit
from bedplate.policies.reports.places import Places
from bedplate.policies.reports.policyreport import policy_reports
from bedplate.policies.reports.sarif import sarif
from bedplate.policies.reports.sources import links
from bedplate.policies.rule import REGISTRY
from bedplate.printable import single

WIDTH = 80
COMMANDS = {"mandatory": "error", "advisory": "warning", "waived": "notice"}
"""GitHub's words for severities."""


def details(verdicts: list[Verdict], places: Places, _: list[str]) -> str:
    """By file, within 80 columns, with a count at the end."""
    return "\n".join([*_by_file(verdicts, places), summary(verdicts)])


def text(verdicts: list[Verdict], places: Places, _: list[str]) -> str:
    """The same, with advice given once: a line says how often each rule would say it again."""
    counts = Counter(verdict.rule for verdict in verdicts if verdict.severity == "advisory")
    firsts = {verdict.rule: verdict for verdict in reversed(verdicts) if verdict.severity == "advisory"}
    shown = [each for each in verdicts if each.severity != "advisory" or firsts[each.rule] is each]
    again = [f"  advisory {rule} {number - 1} more like it" for rule, number in sorted(counts.items()) if number > 1]
    more = ["again (--format details shows each)", *again] if again else []
    return "\n".join([*_by_file(shown, places), *more, summary(verdicts)])


def _by_file(verdicts: list[Verdict], places: Places) -> Iterator[str]:
    for file, found in groupby(verdicts, lambda verdict: verdict.file):
        yield single(file) or places.whole
        yield from (_paragraph(each, places) for each in found)


def _paragraph(verdict: Verdict, places: Places) -> str:
    where = f"line {places.of(verdict).line}: " if verdict.file and verdict.urn else ""
    start = f"  {verdict.severity} {verdict.rule} "
    return textwrap.fill(where + verdict.message, WIDTH, initial_indent=start, subsequent_indent="    ")


def summary(verdicts: list[Verdict]) -> str:
    """How many of each severity."""
    counts = Counter(verdict.severity for verdict in verdicts)
    waived = f", {counts['waived']} waived" if counts["waived"] else ""
    return f"{counts['mandatory']} mandatory, {counts['advisory']} advisory{waived}"


def as_json(verdicts: list[Verdict], places: Places, _: list[str]) -> str:
    """Verdicts, each {rule, title, severity, file, line, resource, message, what, why, fix, fingerprint, sources}."""
    return answered("Verdicts", {"verdicts": [_object(each, places) for each in verdicts]}).rstrip()


def _object(verdict: Verdict, places: Places) -> dict[str, object]:
    rule = REGISTRY[verdict.rule]
    parts = {"title": rule.title, "what": verdict.what, "why": rule.why, "fix": verdict.fix}
    beside = {"line": places.of(verdict).line, "fingerprint": verdict.fingerprint, "sources": links(rule.source)}
    return {**verdict.as_json(), **parts, **beside}


def github(verdicts: list[Verdict], places: Places, _: list[str]) -> str:
    """Workflow commands that GitHub shows beside the change."""
    return "\n".join(
        f"::{COMMANDS[each.severity]} "
        f"file={_property(each.file)},line={places.of(each).line},title={each.rule}::{_escaped(each.message)}"
        for each in verdicts
    )


def _property(value: str) -> str:
    """Between the commas of a command more is escaped (actions/toolkit, packages/core/src/command.ts)."""
    return _escaped(value).replace(":", "%3A").replace(",", "%2C")


def _escaped(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


FORMATS: Mapping[str, Callable[[list[Verdict], Places, list[str]], str]] = {
    "text": text,
    "details": details,
    "json": as_json,
    "sarif": sarif,
    "github": github,
    "junit": junit,
    "policyreport": policy_reports,
}
"""Each is given the verdicts, their places, and what could not be read."""
