"""The rules over manifests in the style of common tutorials, with planted faults, and over good examples."""

from pathlib import Path

import pytest
import yaml

from bedplate.policies.facts import Facts
from bedplate.policies.judging.judge import judge
from bedplate.policies.judging.verdict import Verdict
from bedplate.policies.manifests.read import read

CORPUS = Path(__file__).parents[2] / "corpus"
BAD = sorted((CORPUS / "bad").glob("*.yaml"))
GOOD = sorted((CORPUS / "good").glob("*.yaml"))


def header(path: Path, key: str) -> str:
    lines = path.read_text().splitlines()
    return next((line.removeprefix(f"# {key}: ") for line in lines if line.startswith(f"# {key}: ")), "")


def verdicts(path: Path) -> list[Verdict]:
    facts = Facts.from_mapping(yaml.safe_load(header(path, "facts") or "{}"))
    reading = read([path])
    assert reading.faults == []
    assert reading.resources
    return judge(reading.resources, facts, complete=False)


def test_the_corpus_is_large_enough_to_mean_something() -> None:
    assert len(BAD) >= 40
    assert sum(len(header(path, "expect").split()) for path in BAD) >= 70
    assert len(GOOD) >= 14


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_every_planted_fault_is_found(path: Path) -> None:
    planted = set(header(path, "expect").split())
    assert planted - {verdict.rule for verdict in verdicts(path)} == set()


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_nothing_mandatory_is_found_that_was_not_planted(path: Path) -> None:
    planted = set(header(path, "expect").split())
    surplus = [verdict.message for verdict in verdicts(path) if verdict.severity == "mandatory"]
    assert [message for message in surplus if not any(rule in planted for rule in _rules(path, message))] == []


def _rules(path: Path, message: str) -> set[str]:
    return {verdict.rule for verdict in verdicts(path) if verdict.message == message}


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_a_good_example_is_met_with_silence(path: Path) -> None:
    assert [f"{verdict.rule} {verdict.message}" for verdict in verdicts(path)] == []
