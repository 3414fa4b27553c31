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
from bedplate.charts.sets import newest
from bedplate.cli import main
from bedplate.init import CI, PLACES
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
    assert profile == {**StackFiles().profile(example), "name": "prod", "context": "prod", "set": newest()}


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
    assert init("prod", "--ci", "gitlab") == 0
    for place in (*PLACES.values(), *CI["github"].values(), *CI["gitlab"].values()):
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
        (("prod", "--like", "eks"), "--like eks: no such example; did you mean eks-p5?\n"),
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


def test_gitlabs_pipeline_plans_without_secrets_and_rolls_out_what_was_merged_by_hand(company: Path) -> None:
    assert init("prod", "--ci", "gitlab") == 0
    assert not (company / ".github").exists()
    pipeline = yaml.safe_load((company / ".gitlab-ci.yml").read_text())
    jobs = {name: pipeline[name] for name in pipeline["stages"]}
    assert "environment" not in jobs["plan"]
    assert {name: job["environment"]["name"] for name, job in jobs.items() if "environment" in job} == {
        "preview": "$ENVIRONMENT-preview",
        "up": "$ENVIRONMENT",
    }
    assert all(job["parallel"]["matrix"] == [{"ENVIRONMENT": ["prod"]}] for job in jobs.values())
    assert jobs["up"]["rules"] == [
        {"if": '$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && $CI_PIPELINE_SOURCE != "schedule"', "when": "manual"}
    ]
    assert jobs["up"]["resource_group"] == "up"
    assert "$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID" in jobs["preview"]["rules"][0]["if"]
    assert pipeline["default"]["interruptible"] is False


def test_the_plans_script_of_gitlab_writes_a_review_and_judges_the_manifests(company: Path) -> None:
    assert init("prod", "--like", "inference-l40s", "--ci", "gitlab") == 0
    script = yaml.safe_load((company / ".gitlab-ci.yml").read_text())["plan"]["script"]
    (company / "bin").mkdir()
    command = f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m bedplate "$@"\n'
    (company / "bin" / "bedplate").write_text(command)
    (company / "bin" / "git").write_text("#!/bin/sh\nexit 0\n")
    for name in ("bedplate", "git"):
        (company / "bin" / name).chmod(0o755)
    lines = "\n".join(line for line in script if "diff FETCH_HEAD" not in line)
    run = f"set -e; export PATH={company / 'bin'}:$PATH ENVIRONMENT=prod CI_DEFAULT_BRANCH=main\n{lines}"
    assert subprocess.run(["bash", "-c", run], cwd=company, check=False).returncode == 0
    assert "prod" in (company / "review.md").read_text()


def test_a_pull_request_gets_one_comment_with_plan_and_preview(company: Path) -> None:
    assert init("prod") == 0
    assert (company / ".ci" / "comment").read_bytes() == (ROOT / ".ci" / "comment").read_bytes()
    job = workflows(company)["preview"]["jobs"]["preview"]
    (step,) = [step for step in job["steps"] if ".ci/comment" in step.get("run", "")]
    assert step["run"] == 'bash .ci/comment "$ENVIRONMENT" preview.txt out/review.md'
    assert job["permissions"]["pull-requests"] == "write"
    assert "pull-requests" not in workflows(company)["preview"]["jobs"]["plan"].get("permissions", {})


def test_without_ci_nothing_of_one_is_written(company: Path) -> None:
    assert init("prod", "--ci", "none") == 0
    assert not any((company / name).exists() for name in (".github", ".ci", ".gitlab-ci.yml"))
