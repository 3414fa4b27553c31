"""Public incidents, each as the least manifest of ours that shows it: what is caught, and what is said beside it."""

import re
from functools import cache
from pathlib import Path

import pytest

from bedplate.policies.facts import Facts
from bedplate.policies.judging.judge import judge
from bedplate.policies.judging.verdict import Verdict
from bedplate.policies.manifests.read import read
from bedplate.policies.rules import RULES
from tests.unit.policies.test_corpus import CORPUS, header

INCIDENTS = sorted((CORPUS / "incidents").glob("*.yaml"))
CAUGHT = 0.9
"""Of all: some show only at run time, and are kept to say so."""
SOURCE = re.compile(r"[\w.-]+/[\w.-]+#\d+")


@cache
def verdicts(path: Path) -> list[Verdict]:
    """Of an incident alone: no profile, nothing else of its cluster."""
    reading = read([path])
    assert reading.faults == []
    return judge(reading.resources, Facts(), complete=False)


def caught(path: Path) -> bool:
    return header(path, "expect") in {verdict.rule for verdict in verdicts(path)}


def test_there_are_incidents_enough_to_mean_something() -> None:
    assert len(INCIDENTS) >= 60
    assert len({header(path, "source") for path in INCIDENTS}) == len(INCIDENTS)


@pytest.mark.parametrize("path", INCIDENTS, ids=lambda path: path.stem)
def test_an_incident_says_where_it_happened_and_what(path: Path) -> None:
    assert SOURCE.fullmatch(header(path, "source"))
    assert header(path, "what")
    assert header(path, "expect") in {rule.id for rule in RULES}


def test_nine_of_ten_are_caught_alone() -> None:
    missed = [path.stem for path in INCIDENTS if not caught(path)]
    assert len(missed) <= (1 - CAUGHT) * len(INCIDENTS), missed


@pytest.mark.parametrize("path", INCIDENTS, ids=lambda path: path.stem)
def test_nothing_else_is_called_mandatory_beside_an_incident(path: Path) -> None:
    mandatory = {verdict.rule for verdict in verdicts(path) if verdict.severity == "mandatory"}
    assert mandatory - {header(path, "expect")} == set()
