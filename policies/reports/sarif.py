"""The verdicts in SARIF 2.1.0, the OASIS format that code scanning reads.

Addresses of files are relative to the folder in which the check runs, as GitHub wants them: it matches them with the
files of the repository.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from bedplate import __version__
from bedplate.policies.judging.verdict import Verdict
from bedplate.policies.reports.places import Places
from bedplate.policies.reports.sources import links
from bedplate.policies.rule import REGISTRY, Rule, in_order

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
DRIVER = {"name": "bedplate-policies", "version": __version__}


def sarif(verdicts: list[Verdict], places: Places, faults: list[str]) -> str:
    """One run: every rule with its pages, the results, and whether all could be read."""
    rules = in_order()
    index = {rule.id: place for place, rule in enumerate(rules)}
    notifications = [{"level": "error", "message": {"text": fault}} for fault in faults]
    run = {
        "tool": {
            "driver": {"name": "bedplate-policies", "version": __version__, "rules": [_rule(rule) for rule in rules]}
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "The folder in which the check ran"}}},
        "invocations": [{"executionSuccessful": not faults, "toolExecutionNotifications": notifications}],
        "results": [_result(each, places, index) for each in verdicts],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(rule: Rule) -> dict[str, object]:
    pages = links(rule.source)
    help_text = f"{rule.why}. {rule.fix}. Source: {rule.source}."
    return {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in rule.check.__name__.split("_")),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.description},
        "help": {"text": help_text, "markdown": "\n".join([help_text, "", *(f"* <{page}>" for page in pages)])},
        **({"helpUri": pages[0]} if pages else {}),
        "defaultConfiguration": {"level": _level(rule.severity)},
        "properties": {"tags": ["kubernetes", "gpu", rule.subject]},
    }


def _level(severity: str) -> str:
    return "error" if severity == "mandatory" else "warning"


def _result(verdict: Verdict, places: Places, index: Mapping[str, int]) -> dict[str, object]:
    return {
        "ruleId": verdict.rule,
        "ruleIndex": index[verdict.rule],
        "level": _level(REGISTRY[verdict.rule].severity if verdict.waiver else verdict.severity),
        **({"suppressions": [{"kind": "external", "justification": verdict.waiver}]} if verdict.waiver else {}),
        "message": {"text": verdict.message},
        "locations": [_location(verdict, places)] if verdict.file else [],
        "partialFingerprints": {"bedplateComplaint/v1": verdict.fingerprint},
    }


def _location(verdict: Verdict, places: Places) -> dict[str, object]:
    place = places.of(verdict)
    return {
        "physicalLocation": {
            "artifactLocation": _artifact(verdict.file),
            "region": {"startLine": place.line, "startColumn": place.column},
        },
        "logicalLocations": [{"fullyQualifiedName": verdict.resource, "kind": "resource"}],
    }


def _artifact(file: str) -> dict[str, str]:
    """Relative to the working folder; what lies outside of it has a whole address."""
    path = Path(file).absolute()
    try:
        return {"uri": quote(path.resolve().relative_to(Path.cwd().resolve()).as_posix()), "uriBaseId": ROOT}
    except ValueError:
        return {"uri": path.as_uri()}
