"""`bedplate down` says what it will not take before it takes anything."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from bedplate.engine import command as engine
from bedplate.engine import tool
from tests.unit.test_same_cluster import CLI

STACK = "onprem-h100-roce"


def resource(kind: str, name: str, *, protect: bool = True) -> dict[str, Any]:
    inputs = {"metadata": {"name": name}} if kind.startswith("kubernetes") else {}
    return {"urn": f"urn:pulumi:s::p::{kind}::{name}-urn", "type": kind, "protect": protect, "inputs": inputs}


TEAMS = [
    resource("kubernetes:core/v1:PersistentVolumeClaim", "data"),
    resource("kubernetes:core/v1:Namespace", "research"),
    resource("kubernetes:core/v1:Namespace", "serving"),
    resource("kubernetes:core/v1:Namespace", "gpu-operator", protect=False),
    resource("pulumi-python:dynamic:Resource", "leaves"),
]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pulumi").write_text(
        CLI.replace("{python}", sys.executable).replace("sys.argv[1:3]) +", "sys.argv[1:]) +")
    )
    (tmp_path / "pulumi").chmod(0o755)
    monkeypatch.setattr(tool, "cli", lambda: str(tmp_path / "pulumi"))
    monkeypatch.setattr("bedplate.stacks.providers.guard", lambda *_: 0)
    monkeypatch.setenv("PULUMI_BACKEND_URL", "file:///state")
    monkeypatch.setenv("PULUMI_CONFIG_PASSPHRASE", "")
    monkeypatch.setenv("CI", "1")
    keep(tmp_path, TEAMS)
    return tmp_path


def keep(folder: Path, resources: list[dict[str, Any]]) -> None:
    (folder / "state.json").write_text(json.dumps({"deployment": {"resources": resources}}))


def calls(desk: Path) -> list[str]:
    return (desk / "told").read_text().splitlines()


def person(monkeypatch: pytest.MonkeyPatch, says: str) -> None:
    monkeypatch.setattr(tool, "quietly", lambda: ())
    monkeypatch.setattr(sys, "stdin", io.StringIO(says))


def test_a_script_is_refused_with_the_commands_before_the_first_delete(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert engine.main(["destroy", STACK, "--yes"]) == engine.WRONG
    said = capsys.readouterr().err
    head = f"{STACK}: protected, and not deleted: Namespace research, serving; PersistentVolumeClaim data; other leaves"
    assert said.startswith(f"{head}-urn\n")
    assert f"`bedplate down {STACK} --exclude-protected --yes`" in said
    assert "`tenancy.retire`" in said
    assert f"`bedplate pulumi state {STACK} unprotect --all --yes`" in said
    assert said.endswith("nothing was deleted\n")
    assert [call.split()[0] for call in calls(desk)] == ["stack"]


@pytest.mark.parametrize("says", ["\n", "no\n", ""])
def test_a_person_who_does_not_say_yes_loses_nothing(
    desk: Path, monkeypatch: pytest.MonkeyPatch, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    person(monkeypatch, says)
    assert engine.main(["destroy", STACK]) == engine.WRONG
    assert "[y/N] nothing was deleted\n" in capsys.readouterr().err
    assert [call.split()[0] for call in calls(desk)] == ["stack"]


def test_a_person_who_says_yes_keeps_what_is_protected(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    person(monkeypatch, "y\n")
    assert engine.main(["destroy", STACK]) == 0
    assert calls(desk)[-1].startswith(f"destroy --stack {STACK} --exclude-protected --event-log")


@pytest.mark.parametrize("option", ["--exclude-protected", "--ignore-protect", "--target=urn:x"])
def test_who_has_decided_is_not_asked(desk: Path, option: str) -> None:
    assert engine.main(["destroy", STACK, option]) == 0
    assert calls(desk)[-1].startswith(f"destroy --stack {STACK} {option} --event-log")


def test_without_anything_protected_all_goes(desk: Path) -> None:
    keep(desk, [TEAMS[3]])
    assert engine.main(["destroy", STACK]) == 0
    assert "--exclude-protected" not in calls(desk)[-1]


def test_a_refresh_deletes_nothing_and_is_not_asked_about(desk: Path) -> None:
    assert engine.main(["pulumi", "refresh", STACK]) == 0


@pytest.mark.parametrize("word", ["down", "dn"])
def test_every_name_that_pulumi_has_for_it_is_guarded(word: str, desk: Path) -> None:
    assert engine.main(["pulumi", word, STACK, "--yes"]) == engine.WRONG
    assert [call.split()[0] for call in calls(desk)] == ["stack"]


@pytest.mark.parametrize("words", [("-s", "other"), ("--stack=other",), ("--cwd", "/"), ("-ysother",)])
def test_no_option_leads_to_another_stack(
    words: tuple[str, ...], desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert engine.main(["destroy", STACK, *words]) == engine.WRONG
    assert (
        capsys.readouterr().err
        == f"{words[0]}: the stack is {STACK} already; name the one that is meant in its place\n"
    )
    assert not (desk / "told").exists()


def test_a_stack_that_nothing_was_deployed_from_has_nothing_to_keep(desk: Path) -> None:
    (desk / "state.json").write_text(json.dumps({"deployment": None}))
    assert engine.main(["destroy", STACK, "--yes"]) == 0
