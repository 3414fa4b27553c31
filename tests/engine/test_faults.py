"""What goes wrong in the middle of an `up`: the message names it, and the next `up` goes on from there."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.lab.binaries import LabError
from bedplate.lab.cluster import Cluster
from bedplate.lab.engine import Engine
from bedplate.lab.recovery import recover
from bedplate.lab.stages import READY
from tests.engine.profiles import impatient, without_charts

UP = ("up", "--yes", "--stack", "lab")
PREVIEW = ("preview", "--stack", "lab")


def profile_of(engine: Engine) -> dict[str, Any]:
    return yaml.safe_load(engine.stack_file.read_text())["config"]["bedplate:profile"]


def until(process: subprocess.Popen[str], says: str) -> None:
    """Read what a running CLI prints until it says something; its end before that is a failure."""
    seen: list[str] = []
    for line in process.stdout or ():
        seen.append(line)
        if says in line:
            return
    pytest.fail(f"never said {says!r}:\n{''.join(seen)}")


@pytest.fixture
def running(engine: Engine) -> Iterator[subprocess.Popen[str]]:
    """An `up` that has begun to install the operators."""
    with engine.start(*UP, "--skip-preview") as process:
        until(process, "network-operator creating")
        yield process
        process.kill()


def test_an_operator_that_never_becomes_ready_is_named_by_the_gate(engine: Engine) -> None:
    engine.configure(impatient(profile_of(engine)))
    engine.cluster.kubectl("delete", "stage/clusterpolicy.nvidia.com")
    with pytest.raises(LabError, match=r"(?s)gpu-operator-ready.*timed out waiting for the condition"):
        engine.run(*UP)
    state = {resource["urn"].rsplit("::", 1)[-1] for resource in engine.state()}
    assert "gpu-operator" in state
    assert not any(name.startswith("research-rail") for name in state), "what needs GPUs has waited"
    engine.cluster.apply(stage for ready in READY if ready.kind == "ClusterPolicy" for stage in ready.stages())
    engine.run(*UP)
    engine.run(*PREVIEW, "--expect-no-changes")


def test_a_chart_out_of_reach_fails_the_preview_and_names_the_chart(engine: Engine) -> None:
    engine.configure(without_charts(profile_of(engine)))
    with pytest.raises(LabError, match=r"/nowhere/[a-z-]+-v?[0-9.]+\.tgz"):  # of whichever release comes first
        engine.run(*PREVIEW)
    assert engine.state() == []


def test_an_api_server_that_goes_away_fails_the_run_and_the_next_one_finishes(
    engine: Engine, running: subprocess.Popen[str]
) -> None:
    os.kill(engine.cluster.processes()["kube-apiserver"], signal.SIGKILL)
    assert running.wait(timeout=600) != 0
    engine.cluster.start()
    recover(engine)
    engine.run(*PREVIEW, "--expect-no-changes")


def test_a_killed_run_leaves_a_lock_and_the_recovery_finishes_it(
    engine: Engine, running: subprocess.Popen[str]
) -> None:
    running.kill()
    running.wait()
    with pytest.raises(LabError, match="the stack is currently locked"):
        engine.run(*UP)
    recover(engine)
    engine.run(*PREVIEW, "--expect-no-changes")


def test_what_a_lost_answer_left_on_the_cluster_is_taken_over_with_all_its_fields(
    engine: Engine, running: subprocess.Popen[str]
) -> None:
    running.communicate(timeout=1200)
    lost = [one["urn"] for one in engine.state() if one["type"].endswith(":ValidatingAdmissionPolicyBinding")]
    assert lost
    for urn in lost:
        engine.run("state", "delete", urn, "--target-dependents", "--yes", "--stack", "lab")
    recover(engine)
    engine.run(*PREVIEW, "--expect-no-changes")


def test_a_second_run_beside_the_first_is_refused(engine: Engine, running: subprocess.Popen[str]) -> None:
    with pytest.raises(LabError, match="the stack is currently locked"):
        engine.run(*UP)
    assert running.poll() is None, "the first goes on"
    running.communicate(timeout=1200)
    assert running.returncode == 0


def other_context(cluster: Cluster, folder: Path) -> Path:
    """A kubeconfig whose current context is another cluster's."""
    config = yaml.safe_load(cluster.kubeconfig.read_text())
    config["contexts"].append({**config["contexts"][0], "name": "production"})
    path = folder / "kubeconfig.yaml"
    path.write_text(yaml.safe_dump({**config, "current-context": "production"}))
    return path


@pytest.mark.parametrize("command", [PREVIEW, UP])
def test_another_cluster_than_the_profiles_is_refused(engine: Engine, tmp_path: Path, command: tuple[str, ...]) -> None:
    path = other_context(engine.cluster, tmp_path)
    elsewhere = Engine(engine.cluster, engine.folder, engine.cli, {"KUBECONFIG": str(path)})
    with pytest.raises(LabError, match="the kubeconfig's current context is production"):
        elsewhere.run(*command)
    assert engine.state() == []
