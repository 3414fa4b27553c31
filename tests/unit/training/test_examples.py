"""The examples of jobs are sound, cover every kind, and run on the stacks that they are for."""

import json
from pathlib import Path

import pytest
import yaml

from bedplate.components.workload.kinds import KINDS
from bedplate.folders import PROJECT
from bedplate.plan.__main__ import main
from tests.training_jobs import all_templates, container, is_worker

FOLDER = PROJECT / "examples" / "jobs"
STACK = {
    "deepspeed": "onprem-h100-roce",
    "indexed-job": "lab",
    "jobset": "lab",
    "leader-worker-set": "onprem-h100-roce",
    "mpijob": "onprem-h100-roce",
    "pytorchjob": "onprem-h100-ib",
    "pytorchjob-elastic": "onprem-h100-ib",
    "rayjob": "onprem-h100-roce",
    "trainjob": "onprem-h100-roce",
    "volcano-job": "onprem-h100-ib",
}
"""Where each example runs as it is written; it says so itself."""


def example(name: str) -> Path:
    return FOLDER / f"{name}.yaml"


@pytest.mark.parametrize("name", STACK)
def test_an_example_runs_on_its_stack(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["job", str(example(name)), "--stack", STACK[name]]) == 0

    out, err = capsys.readouterr()
    assert list(yaml.safe_load_all(out))[-1]["metadata"]["name"]
    assert "mandatory" not in err


@pytest.mark.parametrize("name", STACK)
def test_an_example_says_how_to_render_it(name: str) -> None:
    comment = "".join(line for line in example(name).read_text().splitlines() if line.startswith("#"))
    assert f"bedplate job render examples/jobs/{name}.yaml --stack {STACK[name]}" in comment


NO_VOLCANO = "its controller comes with Volcano, and the scheduler here is kueue"
NO_SCRIPT = "must be sourced before NCCL, and KubeRay starts Ray itself"
REFUSED = {
    ("volcano-job", "eks-p5"): NO_VOLCANO,
    ("volcano-job", "gke-a3-mega"): NO_VOLCANO,
    ("rayjob", "gke-a3-mega"): NO_SCRIPT,
}
"""What the stacks of the clouds cannot run, and why; they run every other example."""


@pytest.mark.parametrize("stack", ["eks-p5", "gke-a3-mega"])
@pytest.mark.parametrize("name", STACK)
def test_every_example_of_several_nodes_runs_on_the_stacks_of_the_clouds_or_is_refused_for_its_reason(
    name: str, stack: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = yaml.safe_load(example(name).read_text()) | {"team": "research"}
    assert job["nodes"] > 1
    file = tmp_path / "job.yaml"
    file.write_text(yaml.safe_dump(job))
    refused = REFUSED.get((name, stack), "")
    assert main(["job", str(file), "--stack", stack]) == (2 if refused else 0)
    out, err = capsys.readouterr()
    assert refused in err
    if not refused:
        assert_fabric(out, stack)


def assert_fabric(text: str, stack: str) -> None:
    """What a pod with a whole node needs: AWS's guide to EFA on EKS, Google's to GPUDirect-TCPXO."""
    workers = [one for one in all_templates(list(yaml.safe_load_all(text))) if is_worker(one)]
    assert workers
    for one in workers:
        if stack == "eks-p5":
            efa = {"vpc.amazonaws.com/efa": "32", "hugepages-2Mi": "5120Mi", "nvidia.com/gpu": "8"}
            assert efa.items() <= container(one)["resources"]["limits"].items()
        else:
            joined = json.loads(one["metadata"]["annotations"]["networking.gke.io/interfaces"])
            assert [network["network"] for network in joined] == ["default", *(f"vpc{n}" for n in range(1, 9))]
            assert [sidecar["name"] for sidecar in one["spec"]["initContainers"]] == ["tcpxo-daemon"]


def test_there_is_an_example_of_every_kind_and_each_is_tried() -> None:
    files = {path.stem for path in FOLDER.glob("*.yaml")}
    assert files == set(STACK)
    assert {yaml.safe_load(example(name).read_text())["kind"] for name in files} == set(KINDS)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"claim": "datasets"}, "its mode is ReadOnlyMany, the job needs ReadWriteMany"),
        ({"claim": "checkpoints", "size": "1Ti"}, "the profile makes this claim already"),
        (
            {"claim": "chekpoints"},
            (
                "checkpoint.claim = chekpoints: the profile has no such volume in namespace research, and the job does not "
                "make it; use datasets or checkpoints or models or home, or say existing: true"
            ),
        ),
        ({"claim": "mine", "size": "1Ti", "existing": True}, "cannot be there already and be made with 1Ti"),
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
