"""What others run in their own repositories: a commit hook and a GitHub Action."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

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
    install, run = ACTION["runs"]["steps"]
    assert re.search(r"@[0-9a-f]{40}$", install["uses"])
    assert "${{" not in run["run"], "an input in a script is code of whoever wrote it"
    assert {name.upper() for name in ACTION["inputs"]} <= set(run["env"])
    options = set(re.findall(r"--[a-z]+", run["run"])) - {"--quiet"}
    assert options <= set(
        re.findall(r"--[a-z]+", (ROOT / "policies" / "command" / "cli.py").read_text(encoding="utf-8"))
    )
