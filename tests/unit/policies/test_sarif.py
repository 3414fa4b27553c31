"""SARIF as code scanning takes it: the format's own constraints, relative addresses, pages for every rule."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bedplate.policies.command.cli import main
from bedplate.policies.reports.sources import links
from bedplate.policies.rules import RULES
from tests.unit.policies.test_cli import ADVISORY, MANDATORY, RELEASE, write

LEVELS = {"none", "note", "warning", "error"}
ARITHMETIC = {rule.id for rule in RULES if rule.source.startswith("arithmetic")}


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    main(["check", *arguments, "--format", "sarif"])
    log = json.loads(capsys.readouterr().out)
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    return log["runs"][0]


def test_results_keep_the_constraints_of_the_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = run(capsys, str(write(tmp_path, a=MANDATORY, b=RELEASE, c=ADVISORY)))
    rules = found["tool"]["driver"]["rules"]
    assert found["invocations"][0]["executionSuccessful"] is True
    assert len(found["results"]) == 3
    for result in found["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in LEVELS
        assert result["message"]["text"]
        assert all(isinstance(value, str) for value in result["partialFingerprints"].values())
        (location,) = result["locations"]
        region = location["physicalLocation"]["region"]
        assert min(region["startLine"], region["startColumn"]) >= 1


def test_addresses_are_relative_to_where_the_check_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my jobs").mkdir()
    write(tmp_path / "my jobs", a=MANDATORY)
    monkeypatch.chdir(tmp_path)
    (result,) = run(capsys, str(tmp_path / "my jobs"))["results"]
    artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact == {"uri": "my%20jobs/a.yaml", "uriBaseId": "%SRCROOT%"}


def test_what_lies_elsewhere_has_a_whole_address(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (result,) = run(capsys, str(write(tmp_path, a=MANDATORY)))["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": f"file://{tmp_path}/a.yaml"}


def test_what_could_not_be_read_is_in_the_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (invocation,) = run(capsys, str(write(tmp_path, a="a: [", b=MANDATORY)))["invocations"]
    assert invocation["executionSuccessful"] is False
    assert "line 2" in invocation["toolExecutionNotifications"][0]["message"]["text"]


def test_every_rule_has_the_page_of_its_source_or_is_arithmetic(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    described = run(capsys, str(write(tmp_path, a=MANDATORY)))["tool"]["driver"]["rules"]
    pages = {rule["id"]: rule.get("helpUri", "") for rule in described}
    without = {ident for ident, page in pages.items() if not page.startswith("https://")}
    assert without == ARITHMETIC
    names = [rule["name"] for rule in described]
    assert len(set(names)) == len(names)
    assert [name for name in names if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", name)] == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("NVIDIA/nccl#426, #769", ["NVIDIA/nccl/issues/426", "NVIDIA/nccl/issues/769"]),
        ("kubeflow/training-operator 1.9 cmd/training-operator.v1/main.go", ["kubeflow/training-operator"]),
        ("kubernetes-sigs/lws#570 and its guide; arithmetic", ["kubernetes-sigs/lws/issues/570"]),
        ("arithmetic: size / bandwidth against the interval", []),
    ],
)
def test_repositories_and_changes_become_addresses(source: str, found: list[str]) -> None:
    assert links(source) == [f"https://github.com/{each}" for each in found]


def test_documents_and_addresses_become_pages() -> None:
    operator = "https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest"
    assert links("gpu-operator docs gpu-sharing.rst, gpu-operator-mig.rst; learn.example.com/page") == [
        f"{operator}/gpu-sharing.html",
        f"{operator}/gpu-operator-mig.html",
        "https://learn.example.com/page",
    ]
