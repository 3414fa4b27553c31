"""What a fault leaves behind, with the real queue: nothing is lost, no gang starts by half, a broken node is replaced."""

from collections.abc import Iterator

import pytest

from lab.binaries import LabError
from lab.watch import watch
from tests.cluster.real import RUNS, Lab
from tests.training_jobs import job

COMPLETED = '{{range .status.conditions}}{{if eq .type "Completed"}}{{.status}}{{end}}{{end}}'
BROKEN = "example.com/xid"
KILLED = ("kueue", "jobset")
ROUNDS = 10


@pytest.fixture(autouse=True)
def cleared(kueue: Lab) -> Iterator[None]:
    yield
    kueue.cluster.start()
    kueue.revive()
    kueue.clear()


def all_completed(kueue: Lab, names: list[str]) -> None:
    """Every one of them, each with as many pods as it asked for, and the quota is free again."""
    done = lambda seen: len(seen) == len(names) and set(seen.values()) == {"True"}  # noqa: E731
    watch(kueue.cluster, "jobsets --namespace research", COMPLETED, done, seconds=240)
    assert {len(kueue.pods(name)) for name in names} == {2}
    kueue.finished()


def test_while_the_queue_is_down_no_job_slips_past_it(kueue: Lab) -> None:
    kueue.kill("kueue")
    with pytest.raises(LabError, match=r'failed calling webhook "mjob.kb.io".*connection refused'):
        kueue.submit(job("Job", name="early"))
    kueue.revive()
    kueue.submit(job("Job", name="early"))
    kueue.phases("early", "Succeeded", 2)


def test_controllers_that_are_killed_twenty_times_lose_nothing_and_start_no_half_gang(kueue: Lab) -> None:
    names = [f"job-{i}" for i in range(ROUNDS)]
    for name in names:
        kueue.submit(job("JobSet", name=name), RUNS)
        for process in KILLED:
            kueue.kill(process)
        kueue.revive()
    all_completed(kueue, names)


def test_an_api_server_that_restarts_under_load_loses_no_job(kueue: Lab) -> None:
    names = [f"job-{i}" for i in range(4)]
    for name in names[:3]:
        kueue.submit(job("JobSet", name=name), RUNS)
    kueue.kill("kube-apiserver")
    kueue.cluster.start()
    kueue.revive()
    kueue.submit(job("JobSet", name=names[3]), RUNS)
    all_completed(kueue, names)


def test_a_node_that_breaks_under_a_gang_is_replaced_and_the_rest_of_it_goes_on(kueue: Lab) -> None:
    kueue.run("gang")
    kueue.phases("gang", "Running", 2)
    lost, kept = kueue.pods("gang")
    broken = lost["spec"]["nodeName"]
    kueue.cluster.kubectl("taint", "node", broken, f"{BROKEN}=79:NoExecute")
    try:
        on = "{{if not .metadata.deletionTimestamp}}{{.status.phase}} {{.spec.nodeName}}{{end}}"
        whole = lambda seen: sorted(one.split()[0] for one in seen.values() if one) == ["Running"] * 2  # noqa: E731
        moved = lambda seen: whole(seen) and not any(broken in one for one in seen.values())  # noqa: E731
        watch(kueue.cluster, "pods --namespace research --selector bedplate/job=gang", on, moved, seconds=120)
        now = {pod["metadata"]["uid"]: pod["spec"]["nodeName"] for pod in kueue.pods("gang")}
        assert now.pop(kept["metadata"]["uid"]) == kept["spec"]["nodeName"], "its pod was not touched"
        assert set(now.values()).isdisjoint({broken, kept["spec"]["nodeName"]})
        kueue.uses(16)
    finally:
        kueue.cluster.kubectl("taint", "node", broken, f"{BROKEN}-")
