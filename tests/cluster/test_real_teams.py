"""Two teams on one cluster of four nodes, with the real queue: who gets what, and what a fault leaves behind."""

from collections.abc import Iterator

import pytest

from lab.binaries import LabError
from lab.watch import watch
from tests.cluster.real import RUNS, Lab
from tests.training_jobs import job


@pytest.fixture(autouse=True)
def cleared(kueue: Lab) -> Iterator[None]:
    yield
    kueue.revive()
    kueue.clear()


def test_a_team_borrows_what_is_idle_and_gives_it_back_whole_when_its_owner_asks(kueue: Lab) -> None:
    kueue.run("large", nodes=4)
    kueue.phases("large", "Running", 4)
    kueue.uses(32)  # 16 of its own, 16 of the other's

    kueue.run("ours", team="platform")
    kueue.phases("ours", "Running", 2, team="platform")
    kueue.condition("large", "Evicted")
    kueue.gone("large")  # the gang went as a whole
    kueue.uses(0)
    kueue.uses(16, "platform")


def test_within_a_team_the_more_urgent_job_goes_first(kueue: Lab) -> None:
    kueue.run("theirs", team="platform")
    kueue.phases("theirs", "Running", 2, team="platform")
    kueue.run("patient", priority="training")
    kueue.phases("patient", "Running", 2)
    kueue.run("urgent", priority="inference")
    kueue.phases("urgent", "Running", 2)
    kueue.gone("patient")
    assert len(kueue.pods("theirs", team="platform")) == 2, "nobody else's job was stopped for it"


def test_a_gang_that_does_not_fit_waits_as_a_whole_and_starts_when_there_is_room(kueue: Lab) -> None:
    kueue.run("first", team="platform")
    kueue.phases("first", "Running", 2, team="platform")
    kueue.run("gang", nodes=4)
    kueue.condition("gang", "QuotaReserved", "False")
    assert kueue.pods("gang") == []

    kueue.cluster.kubectl("delete", "job", "first", "--namespace", "platform")
    kueue.phases("gang", "Running", 4)
    assert len({pod["spec"]["nodeName"] for pod in kueue.pods("gang")}) == 4


def test_while_the_queue_is_down_no_job_slips_past_it(kueue: Lab) -> None:
    kueue.kill("kueue")
    with pytest.raises(LabError, match=r'failed calling webhook "mjob.kb.io".*connection refused'):
        kueue.submit(job("Job", name="early"))
    kueue.revive()
    kueue.submit(job("Job", name="early"))
    kueue.phases("early", "Succeeded", 2)


def test_a_controller_that_is_killed_again_and_again_loses_nothing_and_starts_no_half_gang(kueue: Lab) -> None:
    names = [f"job-{i}" for i in range(4)]
    for name in names:
        kueue.submit(job("JobSet", name=name), RUNS)
        for process in ("kueue", "jobset"):
            kueue.kill(process)
        kueue.revive()
    done = '{{range .status.conditions}}{{if eq .type "Completed"}}{{.status}}{{end}}{{end}}'
    all_done = lambda seen: len(seen) == len(names) and set(seen.values()) == {"True"}  # noqa: E731
    watch(kueue.cluster, "jobsets --namespace research", done, all_done, seconds=180)
    assert {len(kueue.pods(name)) for name in names} == {2}
    kueue.finished()
