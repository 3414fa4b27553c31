"""`plan --format markdown`: a reviewer's questions in their order, and never a piece of an item."""

import json
from pathlib import Path
from typing import Any

import pytest

from bedplate.plan.__main__ import main
from bedplate.plan.markdown import MOST, markdown

BRIEF: dict[str, Any] = {
    "stack": "prod",
    "resources": [],
    "releases": [],
    "gates": [],
    "counts": {"Namespace": 2},
    "secrets": [],
    "needs": [],
    "lookups": [],
    "warnings": [],
    "sizing": {},
    "verdicts": [],
    "advisories": [],
    "unread": [],
}


@pytest.fixture(scope="module")
def brief() -> dict[str, Any]:
    from bedplate.plan.capture import capture
    from bedplate.plan.summary import summary

    return summary(capture("onprem-h100-roce"))


def test_it_begins_with_the_verdict_and_the_size(brief: dict[str, Any]) -> None:
    lines = markdown(brief).splitlines()
    assert lines[0] == "### Plan of `onprem-h100-roce`: clean"
    assert "| h100 | dgx-h100 | 8 | 64 | 8 | – | 81.60 |" in lines
    assert "| **all** |  | 11 | 64 |  | – | 81.60 |" in lines
    assert "| research | nvidia.com/gpu | 40 | 64 |" in lines
    assert "| gpu-operator-ready | ClusterPolicy | 3600s |" in lines
    assert "* To set before `up`: `bedplate:grafanaPassword`" in lines


DIFF: dict[str, Any] = {
    "summary": "1 × evicts jobs, 1 × nothing",
    "reach": "64 GPUs of pool h100, for as long as their jobs run",
    "cost": "",
    "changes": [
        {
            "what": "update",
            "urn": "urn:pulumi:prod::bedplate::kubernetes:helm.sh/v3:Release::kueue",
            "danger": "evicts jobs",
            "reason": "its <quota> shrinks",
            "acknowledged": "",
        },
        {
            "what": "add",
            "urn": "a::b:C::quiet",
            "danger": "nothing",
            "reason": "it is read at start",
            "acknowledged": "",
        },
    ],
}


def test_what_the_change_does_comes_before_the_size_and_what_does_nothing_is_only_counted(
    brief: dict[str, Any],
) -> None:
    text = markdown(brief | {"diff": DIFF})
    assert "**This change:** 1 × evicts jobs, 1 × nothing. 64 GPUs of pool h100, for as long as their jobs run" in text
    assert "| evicts jobs | update Release kueue | its &lt;quota> shrinks |" in text
    assert "quiet" not in text
    assert text.index("evicts jobs") < text.index("| h100 | dgx-h100 |")


def test_of_a_change_that_does_nothing_there_is_a_line_and_no_table() -> None:
    text = markdown(BRIEF | {"diff": DIFF | {"summary": "no change", "reach": "", "changes": []}})
    assert "**This change:** no change\n" in text
    assert "| danger |" not in text


@pytest.mark.parametrize("held", [None, "", "[]", '{"changes": []}', "\x00"])
def test_a_file_that_no_diff_wrote_is_refused_in_a_line(
    held: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "diff.json"
    if held is not None:
        file.write_text(held)
    assert main(["lab", "--diff", str(file)]) == 2
    said = (
        "cannot be read: No such file" if held is None else "no output of `bedplate diff A B --stack ENV --format json`"
    )
    assert said in capsys.readouterr().err


def test_a_mandatory_verdict_comes_before_an_advisory_one() -> None:
    verdicts = [
        {"severity": "waived", "rule": "GPU-106", "message": "c"},
        {"severity": "advisory", "rule": "NCCL-312", "message": "b"},
        {"severity": "mandatory", "rule": "GPU-101", "message": "a"},
    ]
    text = markdown(BRIEF | {"verdicts": verdicts})
    assert text.startswith("### Plan of `prod`: refused: 1 mandatory\n")
    assert text.index("GPU-101") < text.index("NCCL-312") < text.index("GPU-106")


def test_a_part_that_does_not_fit_is_left_out_whole_and_said_to_be() -> None:
    verdicts = [{"severity": "mandatory", "rule": f"NET-{n}", "message": "☃" * 2_000} for n in range(30)]
    text = markdown(BRIEF | {"verdicts": verdicts})
    assert len(text.encode()) < 65_536
    assert text.splitlines()[0] == "### Plan of `prod`: refused: 30 mandatory"
    assert "NET-1" not in text
    assert text.endswith("\n… 2 more parts did not fit: the plan's folder has them\n")
    assert "did not fit" not in markdown(BRIEF)


def test_a_long_list_ends_with_how_many_more_there_are_and_the_comment_fits() -> None:
    verdicts = [{"severity": "advisory", "rule": f"NET-{n}", "message": "x" * 400} for n in range(500)]
    releases = [{"name": f"r{n}", "chart": "c", "version": "1", "namespace": "n"} for n in range(500)]
    text = markdown(BRIEF | {"verdicts": verdicts, "releases": releases})
    assert len(text.encode()) < 65_536
    assert f"* … and {500 - MOST} more: the plan's folder has all of them" in text
    assert text.count("<details>") == text.count("</details>")


def test_text_of_a_profile_becomes_no_markup_and_calls_nobody() -> None:
    text = markdown(BRIEF | {"warnings": ["<script> | @everyone\nnext"]})
    assert "<script>" not in text
    assert "@everyone" not in text
    assert "&lt;script> | @\N{ZERO WIDTH SPACE}everyone next" in text


def test_the_command_prints_it_and_keeps_its_exit_status(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "--format", "markdown"]) == 0
    assert capsys.readouterr().out.startswith("### Plan of `lab`: clean\n")
    assert main(["lab", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["stack"] == "lab"
