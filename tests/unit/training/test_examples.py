"""The examples of jobs are sound, cover every kind, and run on the stacks that they are for."""

from pathlib import Path

import pytest
import yaml

from components.workload.kinds import KINDS
from plan.__main__ import main
from plan.capture import PROJECT_ROOT
from tests.training_jobs import cluster, rendered

FOLDER = PROJECT_ROOT / "examples" / "jobs"
STACK = {
    "deepspeed": "onprem-h100-roce",
    "indexed-job": "lab",
    "jobset": "lab",
    "mpijob": "onprem-h100-roce",
    "pytorchjob": "onprem-h100-ib",
    "pytorchjob-elastic": "onprem-h100-ib",
    "trainjob": "onprem-h100-roce",
    "volcano-job": "onprem-h100-ib",
}
"""Where an example runs as it is written; the others need a controller that none of our stacks has."""
ELSEWHERE = ("leader-worker-set", "rayjob")


def example(name: str) -> Path:
    return FOLDER / f"{name}.yaml"


@pytest.mark.parametrize("name", STACK)
def test_an_example_runs_on_its_stack(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["job", str(example(name)), "--stack", STACK[name]]) == 0

    out, err = capsys.readouterr()
    assert list(yaml.safe_load_all(out))[-1]["metadata"]["name"]
    assert "mandatory" not in err


@pytest.mark.parametrize("name", ELSEWHERE)
def test_an_example_runs_where_its_controller_is(name: str) -> None:
    assert rendered(yaml.safe_load(example(name).read_text()), cluster("onprem-h100-roce"))


def test_there_is_an_example_of_every_kind_and_each_is_tried() -> None:
    files = {path.stem for path in FOLDER.glob("*.yaml")}
    assert files == {*STACK, *ELSEWHERE}
    assert {yaml.safe_load(example(name).read_text())["kind"] for name in files} == set(KINDS)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"claim": "datasets"}, "its mode is ReadOnlyMany, the job needs ReadWriteMany"),
        ({"claim": "checkpoints", "size": "1Ti"}, "the profile makes this claim already"),
    ],
)
def test_a_claim_of_the_profile_must_suit_the_job(
    change: dict[str, str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = yaml.safe_load(example("trainjob").read_text()) | {"checkpoint": change}
    file = tmp_path / "job.yaml"
    file.write_text(yaml.safe_dump(job))
    assert main(["job", str(file), "--stack", "onprem-h100-roce"]) == 2
    assert said in capsys.readouterr().err


def test_a_job_mounts_the_directory_that_the_driver_cannot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tests.stack_files import known

    image = "nvcr.io/nvidia/pytorch:25.06-py3"
    job = {"name": "one-node", "team": "research", "kind": "Job", "image": image, "script": ["/train.py"], "nodes": 1}
    file = tmp_path / "job.yaml"
    file.write_text(yaml.safe_dump(job | {"checkpoint": {"claim": "checkpoints"}}))
    assert main(["job", str(file), "--stack", "eks-p5"]) == 0
    assert known("eks-p5").volumes["checkpoints"].sub_path == "checkpoints"
    assert "subPath: checkpoints" in capsys.readouterr().out
