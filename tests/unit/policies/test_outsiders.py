"""What others run in their own repositories: a commit hook and a GitHub Action."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate import usage
from bedplate.policies.command import cli
from bedplate.policies.command.cli import main

ROOT = Path(__file__).parents[3]
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def test_the_hook_is_a_command_that_there_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (hook,) = HOOKS
    program, *words = hook["entry"].split()
    assert program == "bedplate"
    assert hook["language"] == "python"
    changed = tmp_path / "values.yaml"
    changed.write_text("replicas: 2\n")
    assert main([*words, str(changed)]) == 0, capsys.readouterr().err


def test_without_the_hooks_word_nothing_to_judge_is_a_mistake(tmp_path: Path) -> None:
    changed = tmp_path / "values.yaml"
    changed.write_text("replicas: 2\n")
    assert main(["check", str(changed)]) == 2


def test_the_action_hands_its_inputs_over_by_the_environment_and_pins_what_it_uses() -> None:
    install, run, upload = ACTION["runs"]["steps"]
    assert all(re.search(r"@[0-9a-f]{40}$", step["uses"]) for step in (install, upload))
    assert "${{" not in run["run"], "an input in a script is code of whoever wrote it"
    assert {name.upper() for name in ACTION["inputs"]} <= set(run["env"])
    options = set(re.findall(r"--[a-z]+", run["run"])) - {"--quiet"}
    assert options <= usage.stated(cli.__file__, "check", formats=(), severities=(), names=str).options().keys()


def test_the_action_uploads_what_it_found_also_where_that_fails_the_job() -> None:
    *_, upload = ACTION["runs"]["steps"]
    assert upload["uses"].startswith("github/codeql-action/upload-sarif@")
    assert upload["if"] == "${{ always() && inputs.sarif != '' }}"
    assert upload["with"]["sarif_file"] == "${{ inputs.sarif }}"


def test_the_pages_workflow_may_upload_and_no_more() -> None:
    page = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```yaml\n(name: bedplate-check\n.*?)```", page, re.DOTALL)
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read", "security-events": "write"}
    checkout, check = workflow["jobs"]["check"]["steps"]
    assert checkout["with"] == {"persist-credentials": False}
    assert set(check["with"]) <= set(ACTION["inputs"])
    assert checkout["uses"] in (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")


def test_the_actions_script_writes_the_file_and_fails_as_the_check_does(tmp_path: Path) -> None:
    bin_ = tmp_path / "bedplate" / "bin"
    bin_.mkdir(parents=True)
    (bin_ / "pip").write_text("#!/bin/sh\n")
    (bin_ / "bedplate").write_text('#!/bin/sh\necho "$*"\nexit 1\n')
    for name in ("pip", "bedplate"):
        (bin_ / name).chmod(0o755)
    script = ACTION["runs"]["steps"][1]["run"].replace("python -m venv", "true")
    env = {"RUNNER_TEMP": str(tmp_path), "PATHS": "a b", "SARIF": str(tmp_path / "out"), "PATH": "/usr/bin:/bin"}
    empty = dict.fromkeys(("FACTS", "BASELINE", "ARGUMENTS", "SOURCE"), "")
    done = subprocess.run(["bash", "-e", "-c", script], env={**env, **empty}, check=False, capture_output=True)
    assert (done.returncode, done.stdout) == (1, b"check --format github a b\n")
    assert (tmp_path / "out").read_bytes() == b"check --format sarif a b\n"
