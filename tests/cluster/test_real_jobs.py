"""Example jobs by their real path, from what a member of the team submits to the quota that is given back.

Queued by the real queue, their pods made by the real controller, placed by the real scheduler; nodes are simulated.
"""

import ipaddress
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.components.workload.kinds import KINDS, runs
from bedplate.lab.watch import watch
from bedplate.stacks.profile.problem import ProfileError
from tests.cluster.conftest import TRAINING
from tests.cluster.objects import claim
from tests.cluster.real import Lab
from tests.cluster.test_lab import listening

EXAMPLES = sorted(Path(__file__).parents[2].glob("examples/jobs/*.yaml"))
RAN_ON = '{{if ne .status.phase "Pending"}}{{.spec.nodeName}}{{end}}'
RUNS = {"lab.bedplate/runs-for": "3s"}
"""Long enough to see pods that are taken away at the end."""


def without_controller(scheduler: str) -> set[Path]:
    """Examples of kinds that nobody runs here."""
    run = runs(TRAINING, scheduler)
    return {path for path in EXAMPLES if yaml.safe_load(path.read_text())["kind"] not in run}


@pytest.mark.parametrize("path", sorted(without_controller("kueue")), ids=lambda path: path.stem)
def test_an_example_that_nobody_would_run_is_refused(path: Path, kueue: Lab) -> None:
    with pytest.raises(ProfileError):
        kueue.submit(yaml.safe_load(path.read_text()) | {"team": "research"}, RUNS)


@pytest.mark.parametrize("path", sorted({*EXAMPLES} - without_controller("kueue")), ids=lambda path: path.stem)
def test_an_example_runs_to_its_end_and_gives_its_quota_back(path: Path, kueue: Lab) -> None:
    written = yaml.safe_load(path.read_text()) | {"team": "research"}
    given(kueue, written)
    made = kueue.submit(written, RUNS)
    assert made[-1]["kind"] == KINDS[written["kind"]].object
    workers = f"pods --namespace research --selector bedplate/job={written['name']},bedplate/role=worker"
    placed = watch(kueue.cluster, workers, RAN_ON, lambda seen: len(seen) == written["nodes"] and all(seen.values()))
    assert len(set(placed.values())) == written["nodes"], "a whole node each"
    kueue.finished()
    kueue.clear()


def given(kueue: Lab, written: dict[str, Any]) -> None:
    """A claim that the team made before; its volume is of the site's own class."""
    checkpoint = written.get("checkpoint", {})
    if checkpoint.get("existing"):
        kueue.cluster.apply([claim(checkpoint["claim"], "research", storageClassName="shared")])


def test_the_real_controllers_listen_on_loopback_alone(kueue: Lab) -> None:
    processes = kueue.cluster.processes()
    for name in kueue.real:
        addresses = listening(processes[name])
        assert addresses
        assert all(ipaddress.ip_address(one).is_loopback for one in addresses), f"{name} listens on {addresses}"


def test_a_second_start_of_the_lab_leaves_the_webhooks_closed(kueue: Lab) -> None:
    before = kueue.cluster.processes()
    kueue.cluster.start()
    kueue.revive()
    assert kueue.cluster.processes() == before
    policy = "jsonpath={.webhooks[*].failurePolicy}"
    told = kueue.cluster.kubectl(
        "get", "validatingwebhookconfiguration/kueue-validating-webhook-configuration", "-o", policy
    )
    assert set(told.split()) == {"Fail"}
