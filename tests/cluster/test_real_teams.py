"""Two teams on one cluster of four nodes, with the real queue: who gets what."""

from collections.abc import Iterator

import pytest

from tests.cluster.real import Lab


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
