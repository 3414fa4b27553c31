"""A preview says what the cloud lacks, after Pulumi's own words; nobody waits for it, and it decides nothing."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from bedplate.engine import command as engine
from bedplate.engine import tool
from bedplate.preflight.ask import by_command
from bedplate.preflight.asked import look, of
from bedplate.preflight.beside import Beside
from bedplate.stacks import providers
from bedplate.stacks.load import load
from tests.cloud_accounts import good
from tests.rooms import ROOT
from tests.stack_files import profile
from tests.unit.preflight.test_calls import EVERYTHING, answered, calls

PULUMI = """#!/bin/sh
echo "pulumi $1" >> {calls}
[ "$1" = preview ] && {{ echo Previewing; exit 3; }}
exit 0
"""
CLOUD = """#!/bin/sh
echo "$2" >> {calls}
sleep {seconds}
cat {folder}/"$2".json
"""


def command(folder: Path, monkeypatch: pytest.MonkeyPatch, answers: dict[str, Any], seconds: float = 0) -> Path:
    """An `aws` that takes its time; what it is called for is written down."""
    for name, answer in answers.items():
        (folder / f"{name}.json").write_text(json.dumps(answer))
    asked, script = folder / "asked", folder / "aws"
    script.write_text(CLOUD.format(calls=asked, seconds=seconds, folder=folder))
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return asked


def previewed(folder: Path, monkeypatch: pytest.MonkeyPatch, word: str = "preview") -> int:
    """The engine's command, with a Pulumi that only says that it was there."""
    cli = folder / "pulumi"
    cli.write_text(PULUMI.format(calls=folder / "pulumi-calls"))
    cli.chmod(0o755)
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(tool, "cli", lambda: str(cli))
    monkeypatch.setattr(providers, "guard", lambda *_: 0)
    monkeypatch.setattr(engine, "lacking", lambda *_, **__: iter(()))
    return engine.main([word, "eks-p5"])


def of_p5() -> dict[str, Any]:
    """An account that has all for stack eks-p5, by the words of the calls."""
    one = profile("eks-p5")
    found = good(one)
    return {question.words()[2]: found[name] for name, question in of(one).items()}


def test_nine_calls_that_take_a_second_each_are_made_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command(tmp_path, monkeypatch, answered(), seconds=1)
    assert len(calls()) == 9
    everything, began = load(EVERYTHING), time.monotonic()
    assert look(everything, by_command).findings == ()
    assert time.monotonic() - began < len(calls())


def test_a_preview_ends_with_what_is_short_and_with_its_own_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    asked = command(
        tmp_path, monkeypatch, {**of_p5(), "describe-instance-type-offerings": {"InstanceTypeOfferings": []}}
    )
    assert previewed(tmp_path, monkeypatch) == 3
    out, err = capfd.readouterr()
    assert out == "Previewing\n", "standard output is Pulumi's alone"
    assert "short: p5: p5.48xlarge in us-east-2a" in err
    assert not [word for word in asked.read_text().split() if not word.startswith(("describe-", "get-", "list-"))]


def test_an_up_asks_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = command(tmp_path, monkeypatch, of_p5())
    assert previewed(tmp_path, monkeypatch, "up") == 0
    assert not asked.exists()


def test_without_a_login_or_without_the_clouds_command_a_preview_says_nothing_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    command(tmp_path, monkeypatch, {})
    assert previewed(tmp_path, monkeypatch) == 3
    assert "unknown" not in capfd.readouterr().err
    monkeypatch.setenv("PATH", "/bin")
    beside = Beside(profile("eks-p5"))
    beside.tell()
    assert capfd.readouterr().err == ""


def test_nobody_waits_for_a_cloud_that_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    command(tmp_path, monkeypatch, of_p5(), seconds=30)
    began = time.monotonic()
    Beside(profile("eks-p5")).tell()
    assert time.monotonic() - began < 30
    assert "short" not in capfd.readouterr().err
