"""What is kept for whoever asks what was tried: a line of the review without a test, and numbers of acts, by their files."""

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from typing import Any

import pytest
import yaml

from bedplate.folders import PROJECT
from tests.cluster.tries import ROOT, Try, played, tries
from tests.unit.scheduling.test_attacks import WITH_TEAMS, guarded

REVIEW: Mapping[str, Any] = yaml.safe_load((ROOT / "attacks" / "reasons" / "review.yaml").read_text())
NUMBERS = {"C": 5, "H": 8, "M": 11, "L": 12, "FR": 3, "G": 13}
"""Successes by severity, false refusals and guards, and how many of each."""
LINES = [f"{letter}{number}" for letter, last in NUMBERS.items() for number in range(1, last + 1)]
ATTACKS = tries("attacks")
MANIFESTS = [one for one in tries("legitimate") if "create" in one.document]
PROMISES = (PROJECT / "docs" / "security.md").read_text(encoding="utf-8")


def stem(one: Try) -> str:
    """Of the file it is in."""
    return one.name.partition(":")[0]


def shows(where: str) -> bool:
    """Files of attacks or legitimate acts by a pattern; `file::text` of anything else that has to say it."""
    path, _, text = where.partition("::")
    if not text:
        return any(fnmatch(stem(one), path) for one in (*ATTACKS, *tries("legitimate")))
    file = PROJECT / path
    said = " ".join(file.read_text(encoding="utf-8").split()) if file.exists() else ""
    return (f"def {text}(" if text.startswith("test_") else text) in said


def test_every_line_of_the_review_is_shown_by_what_is_there() -> None:
    assert list(REVIEW) == LINES
    assert [f"{line}: {where}" for line, row in REVIEW.items() for where in row["by"] if not shows(where)] == []
    assert [line for line, row in REVIEW.items() if not row["by"]] == []


@pytest.mark.parametrize(
    "where", ["no-such-attack-*", "tests/unit/test_archive.py::test_nothing", "tests/no.py::test_"]
)
def test_what_is_gone_shows_nothing(where: str) -> None:
    assert not shows(where)


def of_our_own() -> Iterator[Try]:
    """Attacks that no line of the review is shown by; `of-pods` are of its table."""
    named = {where for line, row in REVIEW.items() if line[0] in "CHML" for where in row["by"]} | {"of-pods"}
    yield from (one for one in ATTACKS if not any(fnmatch(stem(one), where) for where in named))


def test_sixty_attacks_are_our_own_and_half_of_them_are_tried_beside_the_real_queues() -> None:
    own = [one for one in of_our_own() if one.refused]
    beside = [one for one in own if not one.alone and {"kueue", "volcano"} & set(one.schedulers)]
    titles = {one.document["title"] for one in own}
    assert len(titles) >= 60
    assert len({one.document["title"] for one in beside}) * 2 >= len(titles)


@pytest.mark.parametrize("name", WITH_TEAMS)
def test_150_legitimate_manifests_are_taken_on_every_cluster(name: str) -> None:
    cluster = guarded(name)
    taken = [one for one in played(MANIFESTS, cluster.facts) if not cluster.said(one.document)]
    assert len({one.name for one in taken}) >= 150


def test_of_each_act_the_title_says_what_it_is_and_no_two_are_alike() -> None:
    names = [one.name for one in (*ATTACKS, *tries("legitimate"))]
    assert sorted(names) == sorted(set(names))


def test_every_promise_between_teams_names_what_shows_it() -> None:
    """By files that are there, each a test or an attack."""
    table = [line for line in PROMISES.splitlines() if line.startswith("| ") and not line.startswith("| promise")]
    assert len(table) >= 18
    folder = ""
    for line in table:
        named = re.findall(r"`([^`]+)`", line.rpartition(" | ")[2] if line.count("|") == 3 else line.split("|")[2])
        assert named, line
        for path in named:
            folder = path.rpartition("/")[0] or folder
            assert list(PROJECT.glob(path if "/" in path else f"{folder}/{path}")), path
