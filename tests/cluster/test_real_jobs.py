"""Example jobs by their real path, from what a member of the team submits to the quota that is given back.

Queued by the real queue, their pods made by the real controller, placed by the real scheduler; nodes are simulated.
"""

import ipaddress
from pathlib import Path

import pytest
import yaml

from lab.watch import PHASE, counts, watch
from stacks.profile.problem import ProfileError
from tests.cluster.real import Lab
from tests.cluster.test_lab import listening

EXAMPLES = sorted(Path(__file__).parents[2].glob("examples/jobs/*.yaml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_to_its_end_and_gives_its_quota_back(path: Path, kueue: Lab) -> None:
    written = yaml.safe_load(path.read_text()) | {"team": "research"}
    try:
        kueue.submit(written)
    except ProfileError as refused:
        pytest.skip(f"not for this lab: {str(refused).splitlines()[0]}")
    pods = f"pods --namespace research --selector bedplate/job={written['name']}"
    watch(kueue.cluster, pods, PHASE, counts("Succeeded", written["nodes"]), seconds=120)
    on = {pod["spec"]["nodeName"] for pod in kueue.pods(written["name"])}
    assert len(on) == written["nodes"], "a whole node each"
    kueue.finished()
    kueue.clear()


def test_the_real_controllers_listen_on_loopback_alone(kueue: Lab) -> None:
    processes = kueue.cluster.processes()
    for name in ("kueue", "jobset"):
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
