"""The stacks of this project, planned by the command that a reviewer runs."""

import json
from pathlib import Path

import pytest
import yaml

from bedplate.folders import PROJECT
from bedplate.plan.__main__ import main
from bedplate.plan.capture import capture, capture_config
from bedplate.stacks.profile.stack_file import StackFiles
from tests.stack_files import STACKS, config


@pytest.mark.parametrize("stack", STACKS)
def test_every_stack_plans_clean_at_80_columns(stack: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([stack]) == 0

    out, err = capsys.readouterr()
    assert err == ""
    assert "Warning" not in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("stack", STACKS)
def test_every_stack_writes_manifests_that_load(stack: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([stack, "--json", "--out", str(tmp_path / "plan")]) == 0

    brief = json.loads(capsys.readouterr().out)
    for path in (tmp_path / "plan" / "manifests").iterdir():
        document = yaml.safe_load(path.read_text())
        assert document["apiVersion"]
        assert document["metadata"]["name"]
    written = {path.stem for path in (tmp_path / "plan" / "values").iterdir()}
    assert written == {release["name"] for release in brief["releases"]}


@pytest.mark.parametrize("stack", STACKS)
def test_a_plan_says_what_virtual_functions_need_of_the_subnet_of_infiniband(
    stack: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """deployment-guide-kubernetes.rst of network-operator-docs: limited members do not reach each other."""
    assert main([stack]) == 0
    said = "OpenSM partitions have defmember=full" in " ".join(capsys.readouterr().out.split())
    assert said == (stack == "onprem-h100-ib")


def test_sizing_adds_up(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["onprem-h100-roce", "--json"]) == 0

    sizing = json.loads(capsys.readouterr().out)["sizing"]
    assert sizing["gpus"] == 64
    assert sizing["nodes"] == sum(pool["nodes"] for pool in sizing["pools"])
    assert sizing["fabric"]["kind"] == "roce"
    assert sizing["fabric"]["rails"] == 8


def test_a_plan_does_not_depend_on_the_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = capture("lab")
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "config").write_text("current-context: another-cluster\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert capture("lab") == expected

    monkeypatch.setenv("KUBECONFIG", str(tmp_path / ".kube" / "config"))
    monkeypatch.setenv("PULUMI_K8S_DELETE_UNREACHABLE", "true")
    monkeypatch.setenv("PULUMI_CONFIG_BEDPLATE_PROFILE", "{}")
    assert capture("lab") == expected


def test_a_profile_can_be_planned_without_a_stack_file() -> None:
    assert capture_config("lab", config("lab")) == capture("lab")


def test_a_wrong_profile_is_one_line_per_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stated = StackFiles().document("lab")
    stated["config"]["bedplate:profile"] |= {"platform": "mainframe", "nfdd": {}}
    for name in ("Pulumi.yaml", "__main__.py"):
        (tmp_path / name).write_text((PROJECT / name).read_text())
    (tmp_path / "stacks").mkdir()
    (tmp_path / "stacks" / "Pulumi.bad.yaml").write_text(yaml.safe_dump(stated))

    assert main(["bad", "--project", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 2
    assert "platform = mainframe" in err
    assert "nfdd" in err
