"""Answers for machines: one table says each kind, its page and schemas are current, and commands keep to it."""

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator, ValidationError

from bedplate.answer import answer
from tests.rooms import ROOT
from tests.tools.pages import answers

WRITERS = {"answer", "answered"}


def kinds_written() -> Iterator[str]:
    """By every command: the first argument of each call."""
    for path in [*(ROOT / "bedplate").rglob("*.py"), *(ROOT / "policies").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in WRITERS:
                yield from (str(each.value) for each in node.args[:1] if isinstance(each, ast.Constant))


def test_the_page_and_the_schemas_are_current() -> None:
    written = {path: path.read_text(encoding="utf-8") for path in [*sorted(answers.FOLDER.iterdir()), answers.PAGE]}
    assert written == dict(answers.files()), "make schema"


def test_every_kind_that_a_command_writes_is_in_the_table_and_no_other() -> None:
    by_option = {"Machines", "MachinesCompared"}  # bedplate/inspect: one function prints both
    assert set(kinds_written()) | by_option == set(answers.kinds())


@pytest.mark.parametrize("path", sorted(answers.FOLDER.iterdir()), ids=lambda path: path.name)
def test_a_schema_is_one(path: Path) -> None:
    Draft202012Validator.check_schema(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"job": "a", "cause": 3}, "3 is not of type 'string'"),
        ({}, "'job' is a required property"),
        ({"job": "a", "more": 1}, "'more' was unexpected"),
    ],
)
def test_an_answer_with_other_fields_than_the_table_says_fails_its_test(fields: dict[str, object], reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        answer("JobReason", fields)


def test_an_answer_says_which_version_of_which_kind_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    answer("JobReason", {"job": "a", "cause": "quota", "text": "too little is left"})
    said = json.loads(capsys.readouterr().out)
    assert (said["apiVersion"], said["kind"]) == ("bedplate/v1", "JobReason")
