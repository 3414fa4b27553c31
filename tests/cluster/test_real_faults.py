"""What a fault leaves behind, with the real queue: nothing is lost, no gang starts by half, a broken node is replaced.

A clock that is off is seen here from outside, as one that writes times that are off: client-go holds no other machine's
time against its own, but looks how long a lease has stayed as it is.
"""

from collections.abc import Iterator
from datetime import timedelta
from time import monotonic

import pytest

from bedplate.lab.binaries import LabError
from bedplate.lab.watch import watch
from tests.cluster.copies import ELSEWHERE, SECONDS, electing
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


def test_of_two_copies_one_leads_and_when_it_is_killed_as_jobs_come_the_other_admits_each_once(kueue: Lab) -> None:
    names = [f"job-{i}" for i in range(4)]
    with electing(kueue, "kueue") as copies:
        copies.start(copies.second)
        first = copies.leader()
        copies.start("kueue")
        for one in names[:2]:
            kueue.submit(job("JobSet", name=one), RUNS)
        kueue.kill(copies.second)
        for one in names[2:]:
            kueue.submit(job("JobSet", name=one), RUNS)
        copies.leader(other_than=first)
        all_completed(kueue, names)
        kept = kueue.cluster.kubectl("get", "workloads,jobs", "--namespace", "research", "--output=name").split()
        assert len(kept) == 2 * len(names), "a Workload and a Job for each"


@pytest.mark.parametrize(("clock", "renewed"), [(timedelta(hours=1), 1), (timedelta(hours=-1), SECONDS + 3)])
def test_a_leader_whose_clock_is_an_hour_off_leads_as_long_as_it_renews_and_no_longer(
    clock: timedelta, renewed: int, kueue: Lab
) -> None:
    with electing(kueue, "kueue") as copies:
        copies.taken(clock)
        copies.start("kueue")
        kueue.submit(job("JobSet", name="early"), RUNS)
        until = monotonic() + renewed
        while monotonic() < until:
            copies.taken(clock)
        assert copies.leader() == ELSEWHERE
        assert kueue.pods("early") == [], "who does not lead admits nothing"
        assert copies.leader(other_than=ELSEWHERE)
        all_completed(kueue, ["early"])


def test_a_leader_that_finds_another_in_its_place_ends_before_both_act(kueue: Lab) -> None:
    with electing(kueue, "kueue") as copies:
        copies.start("kueue")
        assert copies.leader() != ELSEWHERE
        until = monotonic() + 2 * SECONDS
        while "kueue" in kueue.cluster.processes() and monotonic() < until:
            copies.taken(timedelta(0))
        assert "kueue" not in kueue.cluster.processes()
        assert copies.leader() == ELSEWHERE
