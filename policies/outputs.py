"""Verdicts for people, for programs and for the tools that annotate a pull request."""

import json
import textwrap
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import groupby

from policies.judge import Verdict
from policies.rules import RULES

WIDTH = 80
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
Lines = Mapping[str, int]


def text(verdicts: list[Verdict], _: Lines) -> str:
    """By file, within 80 columns, with a count at the end."""
    parts: list[str] = []
    for file, found in groupby(verdicts, lambda verdict: verdict.file):
        parts.append(file or "(all files)")
        parts += [
            textwrap.fill(
                each.message, WIDTH, initial_indent=f"  {each.severity} {each.rule} ", subsequent_indent="    "
            )
            for each in found
        ]
    return "\n".join([*parts, summary(verdicts)])


def summary(verdicts: list[Verdict]) -> str:
    """How many of each severity."""
    counts = Counter(verdict.severity for verdict in verdicts)
    return f"{counts['mandatory']} mandatory, {counts['advisory']} advisory"


def as_json(verdicts: list[Verdict], _: Lines) -> str:
    """A list of {rule, severity, file, resource, message}."""
    return json.dumps([verdict.as_json() for verdict in verdicts], indent=2)


def github(verdicts: list[Verdict], lines: Lines) -> str:
    """Workflow commands that GitHub shows beside the change."""
    return "\n".join(
        f"::{'error' if each.severity == 'mandatory' else 'warning'} "
        f"file={_escaped(each.file)},line={lines.get(each.urn, 1)},title={each.rule}::{_escaped(each.message)}"
        for each in verdicts
    )


def _escaped(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def sarif(verdicts: list[Verdict], lines: Lines) -> str:
    """The OASIS format that code scanning reads, version 2.1.0."""
    driver = {
        "name": "bedplate-policies",
        "rules": [
            {
                "id": rule.id,
                "name": rule.title,
                "shortDescription": {"text": rule.title},
                "fullDescription": {"text": rule.description},
                "help": {"text": f"{rule.why}. {rule.fix}. Source: {rule.source}."},
                "defaultConfiguration": {"level": _level(rule.severity)},
            }
            for rule in RULES
        ],
    }
    run = {"tool": {"driver": driver}, "results": [_result(each, lines) for each in verdicts]}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _level(severity: str) -> str:
    return "error" if severity == "mandatory" else "warning"


def _result(verdict: Verdict, lines: Lines) -> dict[str, object]:
    region = {"startLine": lines.get(verdict.urn, 1)}
    place = {"artifactLocation": {"uri": verdict.file}, "region": region}
    return {
        "ruleId": verdict.rule,
        "level": _level(verdict.severity),
        "message": {"text": verdict.message},
        "locations": [{"physicalLocation": place}] if verdict.file else [],
    }


FORMATS: Mapping[str, Callable[[list[Verdict], Lines], str]] = {
    "text": text,
    "json": as_json,
    "sarif": sarif,
    "github": github,
}
