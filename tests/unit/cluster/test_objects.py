"""Any part of an object may be missing; what is there is read as it stands."""

import json
from typing import Any

import pytest

from bedplate.cluster import objects

POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "a", "namespace": "n", "labels": {"l": "1"}, "annotations": {"k": "2"}},
    "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Lost", "status": "False"}]},
}
BARE: dict[str, Any] = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "b"}}


def test_a_kind_carries_version_and_group_so_that_no_short_name_is_meant() -> None:
    assert [objects.kind(obj) for obj in (POD, BARE)] == ["Pod", "Job.v1.batch"]


def test_what_is_there_is_read() -> None:
    assert (objects.place(POD), objects.name(POD)) == (("n", "a"), "a")
    assert (objects.labels(POD), objects.annotations(POD)) == ({"l": "1"}, {"k": "2"})
    assert [item["metadata"]["name"] for item in json.loads(objects.bundle([POD, BARE]))["items"]] == ["a", "b"]


@pytest.mark.parametrize(
    "empty", [{}, {"metadata": None}, {"metadata": {"labels": None}, "status": {"conditions": None}}]
)
def test_what_is_missing_or_null_is_empty(empty: dict[str, Any]) -> None:
    assert (objects.name(empty), objects.labels(empty), objects.annotations(empty)) == ("", {}, {})
    assert (objects.entries(empty, "status", "conditions"), objects.conditions(empty)) == ([], {})
    assert objects.part(empty, "metadata", "labels") == {}
    assert objects.place(BARE) == ("", "b")


@pytest.mark.parametrize(
    ("type_", "true", "false"), [("Ready", True, False), ("Lost", False, True), ("Unheard", False, False)]
)
def test_a_condition_that_nobody_set_is_neither_true_nor_false(type_: str, *, true: bool, false: bool) -> None:
    assert (objects.is_true(POD, type_), objects.is_false(POD, type_)) == (true, false)


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ({"message": "two\nlines.", "reason": "R"}, "two lines"),
        ({"message": "", "reason": "R"}, "R"),
        ({}, "no reason given"),
    ],
)
def test_a_message_is_one_line_without_a_full_stop(condition: dict[str, str], text: str) -> None:
    assert objects.message(condition) == text
