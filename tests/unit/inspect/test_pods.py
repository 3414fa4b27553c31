"""`bedplate inspect ENV --nodes SELECTOR`: what is made on a cluster, who agreed, and that nothing of it stays."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bedplate.inspect.__main__ import COLLECTOR, main
from bedplate.inspect.lines import rails
from bedplate.inspect.pods import START, pod
from bedplate.inspect.read import parsed
from tests.unit.inspect.machines import XE9680
from tests.unit.inspect.plant import plant
from tests.unit.inspect.test_command import STACK
from tests.unit.inspect.test_machines import EXPECTED, recorded

CONFIG = "contexts: [{name: onprem-h100-ib, context: {cluster: a, user: b}}]\ncurrent-context: {current}\n"
KUBECTL = """#!/bin/sh
echo "$*" >> "$0.calls"
case "$*" in
  *"get nodes"*) echo node/gpu-1 ;;
  *create*) cat > "$0.made" ;;
  *logs*) cat "$0.log" ;;
  *"wait pod"*) exit "$(cat "$0.status")" ;;
esac
"""


@pytest.fixture
def kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kubectl that keeps what it was asked."""
    folder = tmp_path / "bin"
    folder.mkdir()
    path = folder / "kubectl"
    path.write_text(KUBECTL)
    path.chmod(0o755)
    Path(f"{path}.log").write_text(recorded("dgx-h100").replace("name|gpu-1", "name|bedplate-inspect-a1b2c3-0"))
    Path(f"{path}.status").write_text("0")
    (tmp_path / "config").write_text(CONFIG.replace("{current}", "onprem-h100-ib"))
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    return path


def calls(kubectl: Path) -> list[str]:
    path = Path(f"{kubectl}.calls")
    return path.read_text().splitlines() if path.exists() else []


WORDS = [STACK, "--nodes", "gpu=h100", "--yes"]


def test_a_pod_reads_a_machine_and_is_taken_away(kubectl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*WORDS, "--pool", "h100"]) == 1
    assert "gpu-1: driverOwner: profile operator, machine 580.105.08 of the host" in capsys.readouterr().out
    verbs = [call.removeprefix("--context onprem-h100-ib ").split()[1] for call in calls(kubectl)]
    assert verbs == ["get", "create", "wait", "logs", "delete"]


def test_what_is_made_is_a_pod_of_a_node_without_a_token(kubectl: Path) -> None:
    assert main(WORDS) == 0
    (made,) = json.loads(Path(f"{kubectl}.made").read_text())["items"]
    run = made["metadata"]["labels"]["bedplate/inspect"]
    assert made == pod("gpu-1", "nvcr.io/nvidia/pytorch:25.06-py3", run, made["spec"]["containers"][0]["command"][-1])
    expected: dict[str, Any] = {
        "nodeName": "gpu-1",
        "automountServiceAccountToken": False,
        "activeDeadlineSeconds": 300,
    }
    assert expected.items() <= made["spec"].items()
    assert made["spec"]["containers"][0]["volumeMounts"][0]["readOnly"]
    assert not {"hostNetwork", "hostPID", "hostIPC"} & made["spec"].keys()


@pytest.mark.parametrize("status", ["0", "1"])
def test_a_pod_that_says_nothing_is_taken_away_as_well(
    status: str, kubectl: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(f"{kubectl}.log").write_text("")
    Path(f"{kubectl}.status").write_text(status)
    assert main(WORDS) == 2
    assert "node gpu-1: no pod ended within 300 s" in capsys.readouterr().err
    assert "delete pod --selector=bedplate/inspect=" in calls(kubectl)[-1]


def test_nothing_is_made_unless_somebody_agrees(kubectl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*WORDS[:-1], "--pool", "h100"]) == 2
    said = capsys.readouterr().err
    assert "1 privileged pods in kube-system of onprem-h100-ib" in said
    assert said.endswith("nothing was made; `--yes` says yes beforehand\n")
    assert len(calls(kubectl)) == 1


def test_another_current_context_is_refused(kubectl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "config").write_text(CONFIG.replace("{current}", "prod"))
    assert main(WORDS) == 2
    assert "the kubeconfig's current context is prod" in capsys.readouterr().err
    assert calls(kubectl) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--nodes", "a=b"], "--nodes goes with one profile"),
        ([STACK, "--nodes", "a=b", "--against", STACK], "--nodes goes with one profile"),
        ([STACK, "--nodes", "a=b", "--yes", "--pool", "h10"], "--pool = h10: no such pool"),
    ],
)
def test_wrong_words_ask_nobody(words: list[str], said: str, kubectl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert said in capsys.readouterr().err
    assert calls(kubectl) == []


def test_a_host_without_a_shell_is_read_from_outside(tmp_path: Path) -> None:
    """Talos has none; everybody else's own programs are the host's."""
    start = START.replace("/host", str(tmp_path / "root"))
    plant(tmp_path / "root", XE9680)
    done = subprocess.run(["sh", "-c", start, "sh", COLLECTOR.read_text()], capture_output=True, text=True, check=True)
    assert [one.nic.rail_interface for one in rails(parsed(done.stdout))] == EXPECTED["xe9680"][1].split()
