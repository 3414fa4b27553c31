"""A fleet of three labs on a real engine: what stops a rollout, who takes it up, and what brings back what was."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.lab.binaries import LabError, provide
from bedplate.lab.cluster import Cluster
from bedplate.lab.engine import link_project
from bedplate.lab.recovery import end, leftovers
from bedplate.lab.site import site
from bedplate.stacks.load import load
from bedplate.stacks.profile.stack_file import PROFILE_KEY, StackFiles
from tests.rooms import ROOT

NAMES = ("canary", "first", "second")
FLEET = {
    "name": "drill",
    "clusters": [
        {"path": "stacks/Pulumi.canary.yaml", "labels": {"tier": "canary"}, "kubeconfig": "{folder}/{name}"},
        {"path": "stacks/Pulumi.[fs]*.yaml", "kubeconfig": "{folder}/{name}"},
    ],
    "waves": [{"name": "canary", "labels": {"tier": "canary"}}, {"name": "rest"}],
    "budgets": {"clusters": 1},
    "gates": [{"kind": "pools-ready"}, {"kind": "doctor"}],
}
TEAM = "vision"
ROLE = {"role": "worker"}


def profile(name: str, context: str, *, nodes: int = 3, quota: int = 100) -> dict[str, Any]:
    """A cluster without a chart: teams, their borders and nodes."""
    return {
        "name": name, "platform": "kubeadm", "kubernetesVersion": "1.35", "context": context, "driverOwner": "operator",
        "clusterNetwork": {"podCidr": "10.244.0.0/16", "serviceCidr": "10.96.0.0/12"}, "fabric": {"kind": "none"},
        "pools": [{"name": "system", "shape": {"cpus": 32, "memoryGib": 128}, "nodes": nodes, "selector": ROLE}],
        "tenancy": {"teams": [{"name": TEAM, "limits": {"pods": quota}}]},
    }  # fmt: skip


@dataclass(frozen=True)
class Fleet:
    """Three clusters of one project."""

    folder: Path
    labs: Mapping[str, Cluster]

    def write(self, **changes: dict[str, Any]) -> None:
        """Profiles, each with what is said of it."""
        for name, lab in self.labs.items():
            file = self.folder / "stacks" / f"Pulumi.{name}.yaml"
            kept: dict[str, Any] = (yaml.safe_load(file.read_text()) or {}) if file.exists() else {}
            stated = profile(name, lab.context, **{**changes.get("all", {}), **changes.get(name, {})})
            file.write_text(yaml.safe_dump({**kept, "config": {PROFILE_KEY: stated}}))

    @property
    def variables(self) -> dict[str, str]:
        return {
            **os.environ,
            "PULUMI_BACKEND_URL": (self.folder / "backend").as_uri(),
            "PULUMI_CONFIG_PASSPHRASE": "lab",
            "PYTHONPATH": str(ROOT),
            "PATH": os.pathsep.join(
                (str(Path(self.labs["canary"].kubectl_command[0]).parent), str(Path(sys.executable).parent), os.environ["PATH"])
            ),
        }  # fmt: skip

    def start(self, verb: str, *more: str) -> "subprocess.Popen[str]":
        words = [sys.executable, "-m", "bedplate", "fleet", verb, "fleet.yaml", *more]
        return subprocess.Popen(
            words, cwd=self.folder, env=self.variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def run(self, verb: str, *more: str) -> tuple[int, str]:
        """Its exit status, and all that it says."""
        process = self.start(verb, *more)
        said, _ = process.communicate()
        return process.returncode, said

    def pods(self, name: str) -> str:
        """What a team's quota allows on a cluster; empty: nothing is deployed there."""
        lab = self.labs[name]
        words = ("get", "resourcequota", "-n", TEAM, "--ignore-not-found", "-o", "jsonpath={.items[*].spec.hard.pods}")
        return lab.kubectl(*words)

    def logs(self) -> str:
        return "\n".join(f"--- {one}\n{one.read_text()}" for one in sorted((self.folder / "fleet-logs").rglob("*.log")))


@pytest.fixture(scope="module")
def labs(cli: str) -> Iterator[dict[str, Cluster]]:
    """Three labs side by side, each with the nodes of its profile."""
    assert cli
    try:
        made = {name: Cluster(f"fleet-{os.getpid()}-{name}", provide()) for name in NAMES}
    except LabError as error:
        pytest.skip(str(error))
    try:
        for name, lab in made.items():
            lab.start()
            lab.apply(site(load(profile(name, lab.context))))
        yield made
    finally:
        for lab in made.values():
            lab.stop()


@pytest.fixture(scope="module")
def fleet(labs: dict[str, Cluster], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Deployed on all three."""
    folder = tmp_path_factory.mktemp("fleet")
    link_project(folder, StackFiles())
    (folder / "backend").mkdir()
    (folder / "kubeconfigs").mkdir()
    for name, lab in labs.items():
        (folder / "kubeconfigs" / name).write_bytes(lab.kubeconfig.read_bytes())
    text = yaml.safe_dump(FLEET).replace("{folder}", str(folder / "kubeconfigs"))
    (folder / "fleet.yaml").write_text(text)
    made = Fleet(folder, labs)
    made.write()
    status, said = made.run("up", "--yes")
    assert status == 0, said + made.logs()
    yield made
    end(leftovers((folder / "backend").as_uri()))


def test_what_is_through_is_not_begun_again(fleet: Fleet) -> None:
    status, said = fleet.run("up", "--yes")
    assert (status, "begins" in said) == (0, False)
    assert "3 of 3 clusters are through" in said


def test_a_canary_that_fails_its_gate_keeps_the_change_from_wave_two_and_rollback_brings_back_what_was(
    fleet: Fleet,
) -> None:
    fleet.write(all={"quota": 101}, canary={"nodes": 4})
    status, said = fleet.run("up", "--yes")
    assert status == 1, said
    assert "red: canary: doctor: 1; " in said
    assert "drill: stopped in wave canary with 1 red" in said
    assert "rest: " not in said
    assert [fleet.pods(name) for name in NAMES] == ["101", "100", "100"]
    assert "red" in fleet.run("status")[1]
    status, said = fleet.run("rollback", "--yes")
    assert status == 0, said
    assert "it came to 1 of 3 clusters" in said
    assert [fleet.pods(name) for name in NAMES] == ["100", "100", "100"]


def test_a_run_that_is_killed_in_wave_two_is_taken_up_by_another_and_a_second_beside_it_is_refused(
    fleet: Fleet,
) -> None:
    before = fleet.pods("second")
    fleet.write(all={"quota": 102})
    first = fleet.start("up", "--yes")
    assert first.stdout
    assert next(line for line in first.stdout if line.startswith("rest: first: up begins"))
    status, said = fleet.run("up", "--yes")
    assert (status, "leads a rollout" in said, "nothing was begun" in said) == (2, True, True)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    assert fleet.pods("second") == before
    status, said = fleet.run("up", "--yes")
    assert status == 0, said + fleet.logs()
    assert "1 of 3 clusters are through" in said
    assert [fleet.pods(name) for name in NAMES] == ["102", "102", "102"]


def test_a_paused_fleet_begins_nothing_until_it_is_resumed(fleet: Fleet) -> None:
    fleet.write(all={"quota": 102}, second={"quota": 103})
    assert fleet.run("pause")[0] == 0
    status, said = fleet.run("up", "--yes")
    assert (status, "paused" in said, "begins" in said) == (3, True, False)
    status, said = fleet.run("resume", "--yes")
    assert (status, fleet.pods("second")) == (0, "103"), said


def test_drift_of_all_clusters_is_one_report(fleet: Fleet) -> None:
    assert fleet.run("drift")[0] == 0
    fleet.labs["first"].kubectl("delete", "resourcequota", "--all", "-n", TEAM)
    status, said = fleet.run("drift")
    assert (status, "drill: 1 of 3 clusters have drifted" in said) == (1, True), said
    assert "canary: as its profile says" in said
    assert re.search(r"^first: \d+ create \(log ", said, re.MULTILINE), said
    assert fleet.pods("first") == "", "it only looks"


def test_a_context_that_is_not_the_profiles_is_refused(fleet: Fleet) -> None:
    fleet.write(all={"quota": 102}, canary={"quota": 104})
    file = fleet.folder / "kubeconfigs" / "canary"
    before = file.read_text()
    document = yaml.safe_load(before)
    document["contexts"].append({**document["contexts"][0], "name": "another"})
    file.write_text(yaml.safe_dump({**document, "current-context": "another"}))
    try:
        status, said = fleet.run("up", "--yes")
    finally:
        file.write_text(before)
    assert (status, "red: canary: refused: " in said) == (1, True), said
    assert "the kubeconfig's current context is another" in fleet.logs()
    assert "104" not in [fleet.pods(name) for name in NAMES]
