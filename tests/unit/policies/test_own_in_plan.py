"""A repository's own rules in its plan, its preview and its jobs: the same that `bedplate check` judges by."""

import json
import os
from pathlib import Path

import pytest
import yaml

from bedplate.cli import main
from bedplate.engine import tool
from bedplate.policies.command import serve
from bedplate.policies.facts import Facts
from bedplate.policies.rule import REGISTRY
from tests.rooms import ROOT

RULES = """rules:
  - id: ACME-101
    title: Namespaces name their owner
    kinds: [Namespace]
    expression: has(object.metadata.labels) && 'owner' in object.metadata.labels
    message: has no label owner
    why: Nobody is called when it fails
    fix: Add the label owner
    source: ACME handbook, page 3
"""


@pytest.fixture
def company(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "acme-rules.yaml").write_text(RULES)
    (tmp_path / "bedplate-check.yaml").write_text("rules: [acme-rules.yaml]\nlevels: {GPU-101: disabled}\n")
    profile = yaml.safe_load((ROOT / "tests" / "profiles" / "l40s-lab.yaml").read_text())
    (tmp_path / "prod.yaml").write_text(yaml.safe_dump(profile))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def planned(capsys: pytest.CaptureFixture[str]) -> tuple[int, set[tuple[str, str]]]:
    capsys.readouterr()
    status = main(["plan", "prod.yaml", "--json"])
    found = json.loads(capsys.readouterr().out)["verdicts"]
    return status, {(each["rule"], each["severity"]) for each in found if each["rule"].startswith("ACME")}


def test_a_plan_is_judged_by_them_and_by_their_level(company: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert planned(capsys) == (0, {("ACME-101", "advisory")})
    (company / "bedplate-check.yaml").write_text("rules: [acme-rules.yaml]\nlevels: {ACME-101: mandatory}\n")
    assert planned(capsys) == (1, {("ACME-101", "mandatory")})
    (company / "bedplate-check.yaml").unlink()
    assert planned(capsys) == (0, set())


def test_a_file_of_rules_that_is_wrong_is_one_line(company: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (company / "acme-rules.yaml").write_text(RULES.replace("ACME-101", "GPU-901"))
    assert main(["plan", "prod.yaml"]) == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line]
    assert "GPU-901: ids that begin with GPU" in line


def test_the_engine_s_pack_has_them_and_no_level_of_ours_but_theirs(
    company: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (company / "bedplate-check.yaml").write_text(
        "rules: [acme-rules.yaml]\nlevels: {ACME-101: mandatory, GPU-101: disabled}\n"
    )
    monkeypatch.setattr("bedplate.policies.command.cluster.facts_of", lambda _: Facts())
    monkeypatch.delenv(serve.SETTINGS, raising=False)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    tool.policies("prod", scratch)
    stated = json.loads((scratch / "policies.json").read_text())
    assert [each["levels"] for each in stated.values()] == [{"ACME-101": "mandatory"}] * 4
    assert os.environ[serve.SETTINGS] == str(company / "bedplate-check.yaml")
    seen: list[bool] = []
    monkeypatch.setattr(serve, "answer", lambda: seen.append("ACME-101" in REGISTRY))
    monkeypatch.chdir(scratch)  # as the engine starts it: in another folder
    serve.serve()
    assert (seen, "ACME-101" in REGISTRY) == ([True], False)
    monkeypatch.delenv(serve.SETTINGS)
