"""Every object of every cluster that we know, and of every job of the examples, is what somebody looked at, down to the last value."""

from difflib import unified_diff

import pytest

from tests.tools.golden_changes import changed, explained
from tests.tools.golden_objects import DIGESTS, FOLDER, WRITTEN, line, objects, recorded
from tests.tools.golden_text import FULL, texts

REFRESH = "look at it with `bedplate diff`; if it is meant, run `python -m tests.tools.golden_objects`"
SHOWN: list[str] = []
MOST = 3
"""Clusters of which a process plans the recorded revision as well, to say what changed."""


def said(name: str) -> str:
    """What changed, and what to do."""
    SHOWN.append(name)
    changes = (
        explained(name) if len(SHOWN) <= MOST else [f"{name}: `python -m tests.tools.golden_objects --show {name}`"]
    )
    return "\n".join([*changes, REFRESH])


@pytest.mark.parametrize("name", WRITTEN)
def test_no_object_changes_unseen(name: str) -> None:
    assert line(name, objects(name)) == recorded(name), said(name)


def test_no_other_cluster_is_recorded() -> None:
    assert [one.partition(" ")[0] for one in DIGESTS.read_text().splitlines()] == list(WRITTEN)


@pytest.mark.parametrize("file", texts({}))
def test_the_text_of_the_full_stack_is_current(file: str) -> None:
    before, now = (FOLDER / file).read_text(), texts(objects(FULL))[file]
    assert list(unified_diff(before.splitlines(), now.splitlines(), "recorded", "now", n=1, lineterm="")) == [], REFRESH


def test_a_change_is_named_by_its_object_and_field_with_both_values() -> None:
    before = {"a": {"spec": {"size": 1, "name": "x"}}, "b": {"x": 1}, "same": {"x": [1, {"y": None}]}}
    now = {"a": {"spec": {"size": 2, "name": "x"}}, "c": {"x": 1}, "same": {"x": [1, {"y": None}]}}
    assert list(changed(before, now)) == ["  - b", "  + c", "  ~ a", "      spec.size: 1 -> 2"]
