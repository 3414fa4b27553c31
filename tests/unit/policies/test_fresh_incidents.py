"""Incidents of threads in which nobody looked for our rules: what is found by its cause, and what is missed."""

from pathlib import Path

import pytest

from bedplate.policies.facts import Facts
from bedplate.policies.judging.judge import judge
from bedplate.policies.judging.verdict import Verdict
from bedplate.policies.manifests.read import read
from tests.unit.policies.test_corpus import CORPUS, header
from tests.unit.policies.test_incidents import SOURCE

FRESH = sorted((CORPUS / "fresh").glob("*.yaml"))
FOUND = 0.75
MISSED = "none"
"""What a file expects whose cause no rule names: kept so that nobody takes the share for all there is."""


def verdicts(path: Path) -> list[Verdict]:
    reading = read([path])
    assert reading.faults == []
    return judge(reading.resources, Facts(), complete=False)


def test_there_are_thirty_and_each_is_another_thread() -> None:
    sources = [header(path, "source") for path in FRESH]
    assert len(set(sources)) == len(sources) >= 30
    assert all(SOURCE.fullmatch(source) for source in sources)
    known = {header(path, "source") for path in (CORPUS / "incidents").glob("*.yaml")}
    assert known & set(sources) == set()


def test_of_the_last_one_of_three_were_found_before_a_rule_was_made_for_them() -> None:
    """Written down from their threads first and judged then: what rules know of faults that nobody had in mind.

    Of 36, 14. Of 20 after the rules for the first, 8, five of which the search for threads had named the class of. Of 25
    of GPU and AI projects alone, 6: their own kinds and settings, where rules knew what is general.
    """
    blind = [header(path, "blind") for path in FRESH]
    assert (blind.count("found"), blind.count("missed")) == (28, 53)


def test_three_of_four_are_found() -> None:
    missed = [path.stem for path in FRESH if header(path, "expect") == MISSED]
    assert len(missed) <= (1 - FOUND) * len(FRESH), missed


@pytest.mark.parametrize("path", FRESH, ids=lambda path: path.stem)
def test_a_fresh_incident_is_found_by_its_cause_or_missed_as_it_says(path: Path) -> None:
    found = verdicts(path)
    expected = header(path, "expect")
    assert header(path, "what")
    assert expected == MISSED or expected in {verdict.rule for verdict in found}
    assert {verdict.rule for verdict in found if verdict.severity == "mandatory"} <= {expected}
