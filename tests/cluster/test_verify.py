"""`bedplate verify` on a real API server with the real scheduler; only what pods write is planted, as nothing runs here."""

import json
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.cluster.kubectl import kubectl
from bedplate.components.verification.nccl import VerificationSection
from bedplate.components.verification.qualification import NAMESPACE, QUALIFIED, REASON
from bedplate.lab.cluster import Cluster as Lab
from bedplate.lab.nodes import nodes
from bedplate.lab.watch import PHASE, condition, counts, watch
from bedplate.nodes.__main__ import main as node_command
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.verify.__main__ import main
from bedplate.verify.cluster import Cluster, Ended, patience
from bedplate.verify.jobs import RUN_LABEL, Desk, Run
from bedplate.verify.qualify import Gate
from bedplate.verify.run import Task, verify
from tests.cluster.objects import job, namespace
from tests.stack_files import document
from tests.unit.verify.test_node_log import GPUS, log

MANY, BAD = 20, ("h100-3", "h100-11", "h100-12")
WORK = 60
SECTION = {"team": "research", "image": "example.com/pytorch:1", "qualify": {"atOnce": 5}}
SUM = "network IB over 8 HCAs, 455.0 GB/s, floor 396 GB/s\n"
SOUND = log() + SUM


def profile(lab: Lab, **more: Any) -> dict[str, Any]:
    one = document("lab")
    one["pools"][1]["nodes"] = MANY
    return one | {"context": lab.context} | more


@pytest.fixture(scope="module")
def site(cluster: Lab) -> Iterator[Lab]:
    """Twenty nodes of eight GPUs, none of which has been tested."""
    own = Lab(f"{cluster.name}-verify", cluster.binaries)
    own.start()
    try:
        priority = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "best-effort"}}
        made = [*nodes(load(profile(own))), namespace("research"), namespace("work"), {**priority, "value": 25}]
        own.apply(made)
        watch(own, "nodes", condition("Ready"), counts("True", MANY + 1))
        yield own
    finally:
        own.stop()


@pytest.fixture
def desk(site: Lab, monkeypatch: pytest.MonkeyPatch) -> Lab:
    """The one at which `kubectl` reaches the site."""
    monkeypatch.setenv("KUBECONFIG", str(site.kubeconfig))
    monkeypatch.setenv("PATH", f"{site.binaries['kubectl'].parent}:{os.environ['PATH']}")
    return site


class Planted(Cluster):
    """Logs by the nodes on which the scheduler has put a job's pods."""

    def log(self, run: Run) -> str:
        path = "jsonpath={.items[*].spec.nodeName}"
        words = ("get", "pods", "-n", run.namespace, "-l", f"bedplate/job={run.name}", "-o", path)
        there = kubectl(self.context, *words).split()
        if len(there) == 1:
            return log(gpus=GPUS[:7]) + SUM if there[0] in BAD else SOUND
        return "rank 1 on x: NCCL uses 7 HCAs, 8 must be: a port is down\n" + SUM if {*there} & {*BAD} else SUM


def task(lab: Lab, level: Any, **more: Any) -> Task:
    known = facts(load(profile(lab, **more)))
    section = VerificationSection.model_validate(SECTION)
    return Task(Desk(known, section, "ab12cd"), known.gpu_pools, level)


class KilledError(Exception):
    """The gate's process is gone."""


class Mortal:
    """Tells the cluster so many things, and then is killed: just before a request, or just after it."""

    def __init__(self, requests: int) -> None:
        self.turn, self.last = count(1), requests

    def __call__(self, context: str, *words: str, stdin: str = "") -> str:
        turn = next(self.turn)
        if turn > self.last or (turn == self.last and self.last % 2):
            raise KilledError
        said = kubectl(context, *words, stdin=stdin)
        if turn == self.last:
            raise KilledError
        return said


def test_no_pod_is_put_on_a_node_that_has_not_passed_though_the_gate_is_killed_20_times(desk: Lab) -> None:
    wants = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", QUALIFIED: "true"}  # as Kueue gives them
    desk.apply([job("work", "train", WORK, gpus=2, runs_for="1h", nodeSelector=wants)])
    asked = task(desk, "quick", verification=SECTION)
    kills = 0
    while True:
        gate = Gate(asked, Planted(desk.context, patience(120)), Mortal(2 + kills % 2) if kills < 20 else kubectl)
        try:
            gate.run()
        except KilledError:
            kills += 1
            assert taken(desk) <= inside(desk)
            assert running(desk) <= 5
            continue
        break
    assert kills == 20
    assert inside(desk) == {f"h100-{number}" for number in range(MANY)} - {*BAD}
    watch(desk, "pods -n work", PHASE, counts("Running", WORK))
    assert taken(desk) <= inside(desk)
    for name in BAD:
        reason = desk.kubectl("get", "node", name, "-o", f"jsonpath={{.metadata.annotations.{REASON}}}")
        assert "7 GPUs are seen, 8 must be" in reason
    assert json.loads(desk.kubectl("get", "jobs", "-n", NAMESPACE, "-o", "json"))["items"] == []
    desk.kubectl("delete", "jobs,pods", "--all", "-n", "work", "--wait=true")


def inside(lab: Lab) -> set[str]:
    return set(
        lab.kubectl("get", "nodes", "-l", f"{QUALIFIED}=true", "-o", "jsonpath={.items[*].metadata.name}").split()
    )


def taken(lab: Lab) -> set[str]:
    return set(lab.kubectl("get", "pods", "-n", "work", "-o", "jsonpath={.items[*].spec.nodeName}").split())


def running(lab: Lab) -> int:
    jobs = json.loads(lab.kubectl("get", "jobs", "-n", NAMESPACE, "-o", "json"))["items"]
    return sum(not (one.get("status", {}).get("conditions")) for one in jobs)


def test_the_tournament_names_the_planted_bad_nodes_from_pods_that_the_scheduler_has_placed(desk: Lab) -> None:
    cluster = Planted(desk.context, patience(180))
    asked = task(desk, "full")

    class OneByOne(Planted):
        """Sound by themselves, so that only a match shows what is wrong."""

        def play(self, runs: Any) -> dict[str, Ended]:
            ended = super().play(runs)
            return {run.name: Ended(True, SOUND) if _hosts(run) == 1 else ended[run.name] for run in runs}

    sheet = verify(asked, OneByOne(cluster.context, cluster.deadline), cluster.nodes())
    assert sorted((case.check, case.subject) for case in sheet.cases if case.status == "failed") == sorted(
        ("fabric", name) for name in BAD
    )
    assert len([case for case in sheet.cases if (case.check, case.status) == ("fabric", "passed")]) == MANY - len(BAD)
    assert desk.kubectl("get", "jobs,services", "-n", "research", "-l", RUN_LABEL, "-o", "name") == ""


def _hosts(run: Run) -> int:
    return int(run.objects[-1]["spec"].get("parallelism", 1))


def test_on_simulated_nodes_every_job_ends_and_nothing_is_taken_for_a_pass(
    desk: Lab, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "site.yaml"
    file.write_text(yaml.safe_dump(profile(desk)))
    words = ("--team", "research", "--image", "example.com/pytorch:1", "--nodes", "h100-0,h100-1", "--json")
    assert main([str(file), *words]) == 3
    said = json.loads(capsys.readouterr().out)
    assert {(case["check"], case["status"]) for case in said["cases"]} == {
        ("node", "passed"), ("GPUs", "unknown"), ("NVLink", "unknown"),
    }  # fmt: skip
    assert desk.kubectl("get", "jobs,services", "-n", "research", "-o", "name") == ""


def test_a_drain_heeds_a_budget_and_goes_on_and_the_node_comes_back_only_with_its_test(
    desk: Lab, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "site.yaml"
    file.write_text(yaml.safe_dump(profile(desk, verification=SECTION)))
    selector = {"selector": {"matchLabels": {"job": "steady"}}, "minAvailable": 1}
    budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "spec": selector}
    on = {"kubernetes.io/hostname": "h100-5"}
    desk.apply([{**budget, "metadata": {"name": "keep", "namespace": "work"}}])
    desk.apply([job("work", "steady", 1, gpus=8, runs_for="1h", nodeSelector=on)])
    watch(desk, "pods -n work", PHASE, counts("Running", 1))
    watch(desk, "pdb -n work", "{{.status.currentHealthy}}", counts("1", 1))
    words = ("drain", str(file), "h100-5", "--reason", "swap DIMM", "--timeout")
    assert node_command([*words, "8"]) == 1
    assert "held by the PodDisruptionBudget keep" in capsys.readouterr().out
    assert node_command(["why", str(file), "h100-5"]) == 1
    assert "now: is cordoned: swap DIMM" in (told := capsys.readouterr().out)
    assert "holds: work/steady-" in told
    desk.kubectl("delete", "pdb", "keep", "-n", "work")
    assert node_command([*words, "60"]) == 0
    assert "h100-5" not in taken(desk)
    desk.kubectl("delete", "jobs", "steady", "-n", "work", "--wait=true")
    capsys.readouterr()
    assert node_command(["return", str(file), "h100-5"]) == 1  # simulated GPUs write no log
    assert "h100-5" not in inside(desk)
    unschedulable = desk.kubectl("get", "node", "h100-5", "-o", "jsonpath={.spec.unschedulable}{.metadata.annotations}")
    assert "true" not in unschedulable
    assert REASON in unschedulable
