"""`bedplate init`: a company's own repository, in which every other command works."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate import __version__
from bedplate.cli import main
from bedplate.init import PLACES
from bedplate.plan.capture import capture
from bedplate.stacks.profile.stack_file import StackFiles
from tests.rooms import ROOT
from tests.stack_files import STACKS
from tests.unit.test_workflows import PINNED


@pytest.fixture
def company(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "gpu-clusters"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def init(*words: str) -> int:
    return main(["init", *words])


@pytest.mark.parametrize("example", STACKS)
@pytest.mark.parametrize("bare", [(), ("--bare",)], ids=["stack-file", "bare"])
def test_every_example_can_be_the_beginning(company: Path, example: str, bare: tuple[str, ...]) -> None:
    assert init("prod", "--like", example, *bare) == 0
    files = StackFiles.here()
    assert (files.root, files.project, files.known()) == (company, "gpu-clusters", ["prod"])
    profile = files.profile("prod")
    assert profile == {**StackFiles().profile(example), "name": "prod", "context": "prod"}


def test_the_companys_own_program_declares_what_the_example_does(company: Path) -> None:
    assert init("prod", "--like", "inference-l40s", "--bare") == 0
    ours = {node.urn.split("::", 2)[2] for node in capture("inference-l40s").resources}
    theirs = {node.urn.split("::", 2)[2] for node in capture("prod", company).resources}
    assert theirs == ours


def test_a_project_of_any_name_is_judged_and_sized(company: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert init("prod", "--like", "inference-l40s") == 0
    capsys.readouterr()
    assert main(["plan", "prod", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sizing"]["nodes"] > 0


def test_a_companys_program_may_have_a_package_of_its_own(company: Path) -> None:
    assert init("prod", "--like", "inference-l40s") == 0
    (company / "ours").mkdir()
    (company / "ours" / "__init__.py").write_text("NAME = 'note'\n")
    program = (company / "__main__.py").read_text()
    more = "import pulumi\nfrom ours import NAME\npulumi.ComponentResource('company:Note', NAME)\n"
    (company / "__main__.py").write_text(program + more)
    assert "note" in {node.name for node in capture("prod", company).resources}


def test_the_lab_simulates_the_companys_own_cluster_as_well_as_an_example(
    company: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert init("prod", "--like", "inference-l40s") == 0
    capsys.readouterr()
    assert main(["lab", "nodes", "prod"]) == 0
    ours = capsys.readouterr().out
    assert main(["lab", "nodes", "clusters/Pulumi.prod.yaml"]) == 0
    assert capsys.readouterr().out == ours
    assert main(["lab", "nodes", "onprem-h100-roce"]) == 0
    assert capsys.readouterr().out != ours


def test_what_is_there_is_kept(company: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert init("prod") == 0
    (company / "README.md").write_text("ours\n")
    capsys.readouterr()
    assert init("prod") == 0
    assert (company / "README.md").read_text() == "ours\n"
    assert "kept  README.md" in capsys.readouterr().out


def test_a_second_cluster_is_one_more_file(company: Path) -> None:
    assert init("prod") == 0
    assert init("lab", "--like", "lab") == 0
    assert StackFiles.here().known() == ["lab", "prod"]
    assert (company / "__main__.py").exists()


def test_what_is_no_wheel_is_refused_before_anything_is_written(
    company: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (company / "x.whl").write_text("no archive")
    for name in ("x.whl", "nowhere.whl"):
        assert init("prod", "--wheel", name) == 2
        assert capsys.readouterr().err.startswith(f"--wheel {name}: no wheel; `make wheel`")
    assert [path.name for path in company.iterdir()] == ["x.whl"]


def test_nothing_of_the_templates_is_left_over(company: Path) -> None:
    assert init("prod") == 0
    for place in PLACES.values():
        text = re.sub(r"\$\{\{.*?\}\}", "", (company / place).read_text())
        assert "{{" not in text, place


def workflows(company: Path) -> dict[str, dict[str, Any]]:
    return {path.stem: yaml.safe_load(path.read_text()) for path in (company / ".github" / "workflows").iterdir()}


def test_the_workflows_pin_every_action_and_keep_secrets_to_guarded_steps(company: Path) -> None:
    assert init("prod") == 0
    for path in (company / ".github" / "workflows").iterdir():
        used = re.findall(r"uses: (.*)$", path.read_text(), re.MULTILINE)
        assert [action for action in used if not PINNED.match(action)] == []
    for workflow in workflows(company).values():
        assert workflow["permissions"] == {"contents": "read"}
        for job in workflow["jobs"].values():
            assert job["timeout-minutes"] <= 180
            with_secrets = [step for step in job["steps"] if "secrets." in str(step)]
            assert not with_secrets or "environment" in job
            assert all(step["run"].startswith(("exec bedplate preview", "exec bedplate up")) for step in with_secrets)


def test_the_environments_come_from_a_variable_and_none_is_an_example_of_ours(company: Path) -> None:
    assert init("prod") == 0
    for workflow in workflows(company).values():
        for job in workflow["jobs"].values():
            matrix = job["strategy"]["matrix"]["environment"]
            assert matrix == "${{ fromJSON(vars.BEDPLATE_ENVIRONMENTS || '[\"prod\"]') }}"


def test_the_hook_refuses_a_wrong_profile(company: Path) -> None:
    assert init("prod", "--like", "inference-l40s", "--bare") == 0
    (hook,) = yaml.safe_load((company / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    assert re.search(hook["files"], "clusters/prod.yaml")
    bin_ = company / "bin"
    bin_.mkdir()
    (bin_ / "bedplate").write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m bedplate "$@"\n')
    (bin_ / "bedplate").chmod(0o755)
    command = f"PATH={bin_}:$PATH {hook['entry']} clusters/prod.yaml"
    assert subprocess.run(["bash", "-c", command], check=False).returncode == 0
    (company / "clusters" / "prod.yaml").write_text("name: prod\n")
    assert subprocess.run(["bash", "-c", command], stderr=subprocess.DEVNULL, check=False).returncode != 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("ML Team",), "ML Team: no name for a cluster; write letters, digits and dashes: prod-eu1\n"),
        (("prod", "--like", "eks"), "eks: there is no stacks/Pulumi.eks.yaml; did you mean eks-p5? known stacks: "),
    ],
)
def test_a_wrong_name_is_one_line_and_writes_nothing(
    company: Path, words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert init(*words) == 2
    assert capsys.readouterr().err.startswith(message)
    assert list(company.iterdir()) == []


def test_an_upgrade_is_one_line(company: Path) -> None:
    """The rest of the repository names no version: two versions write the same, but for the pin."""
    assert init("prod") == 0
    naming = [place for place in PLACES.values() if __version__ in (company / place).read_text()]
    assert naming == ["requirements.txt"]
