"""`python -m bedplate.review`, over plans in folders, revisions and a preview of Pulumi's."""

import json
from pathlib import Path
from typing import Any

import pytest

from bedplate.plan.__main__ import main as plan_command
from bedplate.review import plans
from bedplate.review.__main__ import main
from bedplate.wrong import WrongError

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The lab's plan as a folder, and the same with a driver that differs."""
    old = tmp_path_factory.mktemp("review") / "old"
    assert plan_command(["lab", "--json", "--out", str(old)]) == 0
    new = old.parent / "new"
    new.mkdir()
    (new / "profile.json").write_text((old / "profile.json").read_text())
    state = json.loads((old / "deployment.json").read_text())
    for one in state["deployment"]["resources"]:
        if one["urn"].endswith("::gpu-operator") and "Release" in one["type"]:
            one["inputs"]["version"] = "v0.0.1"
    (new / "deployment.json").write_text(json.dumps(state))
    return str(old), str(new)


def test_people_see_danger_reason_and_reach_at_80_columns(
    folders: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*folders]) == 0
    out = capsys.readouterr().out
    assert out.startswith("RELOADS DRIVERS OR NETWORK\n  update Release gpu-operator\n")
    assert "1 × reloads drivers or network" in out
    assert "GPUs on" in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_level_that_is_reached_fails_and_names_what_reached_it(
    folders: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*folders, "--fail-on", "reloads-drivers-or-network"]) == 1
    assert "not acknowledged: update Release gpu-operator" in capsys.readouterr().err
    assert main([*folders, "--fail-on", "loses-quota"]) == 0


def test_machines_get_every_field(folders: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*folders, "--format", "json"]) == 0
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    assert change["danger"] == "reloads drivers or network"
    assert change["fields"][0]["path"] == "version"
    assert change["source"]


def test_markdown_folds_away_what_does_nothing(folders: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*folders, "--format", "markdown"]) == 0
    out = capsys.readouterr().out
    assert "| reloads drivers or network | update Release gpu-operator |" in out
    assert "<details>" not in out
    assert main([folders[0], folders[0], "--format", "markdown"]) == 0
    assert "no change" in capsys.readouterr().out


def test_the_working_tree_is_compared_with_a_revision(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([".", ".", "--stack", "lab", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["changes"] == []


def step(op: str, old: Any, new: Any) -> dict[str, Any]:
    urn = "urn:pulumi:s::p::kubernetes:core/v1:Namespace::team"
    state = {"urn": urn, "type": "kubernetes:core/v1:Namespace"}
    return {
        "op": op,
        "urn": urn,
        **({"oldState": state | {"inputs": old}} if old else {}),
        **({"newState": state | {"inputs": new}} if new else {}),
    }


def test_a_preview_of_pulumi_is_judged_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "preview.json"
    file.write_text(json.dumps({"steps": [step("delete", {"metadata": {"name": "team"}}, None)]}))
    assert main(["--preview", str(file), "--fail-on", "loses-data"]) == 1
    assert "LOSES DATA" in capsys.readouterr().out


def test_what_the_engine_says_it_replaces_is_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "preview.json"
    old, new = ({"metadata": {"name": "team", "labels": {"a": value}}} for value in "12")
    file.write_text(json.dumps({"steps": [step("update", old, new)]}))
    assert main(["--preview", str(file), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["changes"][0]["what"] == "update"
    file.write_text(json.dumps({"steps": [step("create-replacement", old, new), step("replace", old, new)]}))
    assert main(["--preview", str(file), "--format", "json"]) == 0
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    assert (change["what"], change["danger"]) == ("replace", "loses data")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nosuch", "."], "nosuch: no plan's folder; say which stack of that revision: --stack ENV"),
        (["nosuch-revision", ".", "--stack", "lab"], "nosuch-revision: no such revision; name a branch"),
        ([".", ".", "--stack", "nosuch"], "the working tree: nosuch: there is no stacks/Pulumi.nosuch.yaml"),
        (["--preview", "/nosuch.json"], "/nosuch.json: no output of `pulumi preview --json`"),
    ],
)
def test_a_plan_that_cannot_be_had_is_told_in_a_line(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert said in capsys.readouterr().err


def test_a_command_without_plans_is_wrong() -> None:
    with pytest.raises(SystemExit):
        main([])


def test_a_plan_that_never_comes_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "SECONDS", 0.01)
    with pytest.raises(WrongError, match=r"^the working tree: no plan after 0\.01 s; plan it by hand"):
        plans.plan(".", "lab", ROOT)
