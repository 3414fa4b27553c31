"""Two that exclude each other: proven where both stand in one file, advice where two files may be alternatives."""

from typing import Any

import pytest

from bedplate.policies.judging.verdict import Verdict
from bedplate.policies.manifests.read import read
from tests.unit.policies.case import Docs, verdicts
from tests.unit.policies.test_rules import BREAKS

PAIRS = ("GPU-103", "GPU-107", "NET-201", "NET-203", "NET-209", "NET-212", "NET-214", "TRN-502", "INF-606")
BOTH = "if both files are applied"


def in_files(docs: Docs, files: int) -> Docs:
    """The documents in so many files, in turn."""
    return {
        name: doc if name == "facts" else {**doc, "file": f"{number % files}.yaml"}
        for number, (name, doc) in enumerate(docs.items())
    }


def about(rule: str, files: int) -> list[Verdict]:
    broken = [case.broken(change) for case, change in BREAKS if case.rule == rule]
    manifests = (docs for docs in broken if not any("type" in doc for doc in docs.values()))
    judged = (verdicts(in_files(docs, files), {}, complete=False) for docs in manifests)
    return [each for found in judged for each in found if each.rule == rule]


@pytest.mark.parametrize("rule", PAIRS)
def test_two_files_may_be_alternatives(rule: str) -> None:
    apart = [each for each in about(rule, 100) if BOTH in each.message]
    assert {each.severity for each in apart} == {"advisory"}


@pytest.mark.parametrize("rule", PAIRS)
def test_one_file_is_applied_as_a_whole(rule: str) -> None:
    together = about(rule, 1)
    assert "mandatory" in {each.severity for each in together}
    assert not [each for each in together if BOTH in each.message]


@pytest.mark.parametrize("name", ["{}", '{name: "*"}', "{labels: {a: b}}", "'{name: \"a-{{.Number}}\"}'"])
def test_what_no_server_can_make_as_it_stands_is_a_programs_template(name: str, tmp_path: Any) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(
        f"apiVersion: v1\nkind: Pod\nmetadata: {name}\nspec: {{}}\n---\napiVersion: a/v1\nkind: Configuration\n"
    )
    assert [each.unsure for each in read([file]).resources] == [True, False]
