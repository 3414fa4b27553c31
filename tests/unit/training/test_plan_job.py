"""`bedplate job render`: what it writes, where, and with which exit status."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.components.workload.controllers import CONTROLLERS
from bedplate.folders import PROJECT
from bedplate.plan.__main__ import main
from bedplate.policies.judging.verdict import Verdict
from tests.stack_files import config, document
from tests.training_jobs import BESIDE_TRAINING, job


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one stack that can run any kind of job."""
    profile = {key: value for key, value in document("lab").items() if key not in BESIDE_TRAINING}
    profile |= {"scheduling": {"kind": "kueue"}, "tenancy": {"teams": [{"name": "research"}]}}
    profile["training"] = {name: {} for name in CONTROLLERS}
    (tmp_path / "stacks").mkdir()
    shutil.copy(PROJECT / "Pulumi.yaml", tmp_path)
    stack = {"config": config("lab") | {"bedplate:profile": profile}}
    (tmp_path / "stacks" / "Pulumi.lab.yaml").write_text(yaml.safe_dump(stack))
    return tmp_path


def render(project: Path, written: Any, *more: str) -> int:
    file = project / "job.yaml"
    file.write_text(written if isinstance(written, str) else yaml.safe_dump(written))
    return main(["job", str(file), "--stack", "lab", "--project", str(project), *more])


def test_objects_go_to_standard_output_ready_for_kubectl(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert render(project, job("JobSet", checkpoint={"claim": "state", "existing": True})) == 0

    out, err = capsys.readouterr()
    assert [one["kind"] for one in yaml.safe_load_all(out)] == ["PodDisruptionBudget", "JobSet"]
    assert err == ""


def test_what_policies_advise_goes_to_standard_error(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert render(project, job("JobSet", env={"NCCL_ALGO": "Ring"})) == 0

    out, err = capsys.readouterr()
    assert "JobSet" in out
    assert "advisory NCCL-301: JobSet research/llama" in err


def test_a_job_that_violates_a_mandatory_policy_is_not_written(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert render(project, job("JobSet", env={"NCCL_IB_DISABLE": "1"}), "--out", str(project / "out")) == 1

    out, err = capsys.readouterr()
    assert out == ""
    assert "mandatory NCCL-308" in err
    assert not (project / "out").exists()


def test_json_holds_objects_and_verdicts(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert render(project, job("JobSet", env={"NCCL_IB_DISABLE": "1"}), "--json") == 1

    both = json.loads(capsys.readouterr().out)
    assert both["manifests"][-1]["kind"] == "JobSet"
    assert set(both["verdicts"][0]) == set(Verdict("", "", "", "advisory", "", "").as_json())


def test_a_folder_gets_a_file_per_object_and_no_remains(project: Path) -> None:
    out = project / "out"
    assert render(project, job("Job"), "--out", str(out)) == 0
    assert render(project, job("JobSet"), "--out", str(out)) == 0

    assert sorted(path.name for path in out.glob("*.yaml")) == [
        "00-poddisruptionbudget-llama.yaml",
        "01-jobset-llama.yaml",
    ]


def test_a_folder_of_somebody_else_is_left_alone(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert render(project, job("Job"), "--out", str(project / "stacks")) == 2

    assert "holds something that no job wrote" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (job("JobSet", nodes=3, team="sales"), "job.yaml:7: team = sales: no such team on this cluster; use research"),
        ({"name": "llama"}, "job.yaml:1: team = absent: required; add it (docs/jobs.md has every key)"),
        ("- a list", "job.yaml: holds a list where a mapping belongs"),
        ("{", "job.yaml: is not YAML"),
    ],
)
def test_a_wrong_file_is_one_line_per_fault_and_status_2(
    project: Path, written: Any, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert render(project, written) == 2

    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert "Traceback" not in err


def test_an_unknown_stack_is_named_with_the_known(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "job.yaml").write_text("{}")
    assert main(["job", str(project / "job.yaml"), "--stack", "prod", "--project", str(project)]) == 2

    assert "known stacks: lab" in capsys.readouterr().err
