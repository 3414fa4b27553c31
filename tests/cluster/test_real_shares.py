"""Fair shares over an hour of jobs, compressed: a second stands for a minute. Who holds how many nodes is read off the pods."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bedplate.lab.cluster import Cluster
from bedplate.lab.watch import condition, counts, watch
from tests.cluster.real import Lab, lab_profile, started
from tests.training_jobs import job

NODES = 8
TEAMS = {"research": 1, "platform": 2, "reserve": 5}
"""Nodes of their own; what the third leaves idle the others share as one to two."""
HOUR = timedelta(seconds=60)
DONE = 25
"""Jobs that the second team ends in it: twelve minutes each, on two thirds of eight nodes."""
TWELVE_MINUTES = {"lab.bedplate/runs-for": "12s"}


@pytest.fixture(scope="module")
def lab(cluster: Cluster) -> Iterator[Lab]:
    teams = [{"name": name, "share": share} for name, share in TEAMS.items()]
    profile = lab_profile(NODES, ("jobset",)) | {"tenancy": {"teams": teams}}
    with started(cluster, "shares", profile, ("kueue",)) as own:
        yield own


def backlog(lab: Lab, team: str, number: int) -> None:
    """Jobs of a node each, all at once."""
    jobs = [job("Job", name=f"{team}-{i}", team=team, nodes=1) for i in range(number)]
    made = [one for written in jobs for one in lab.rendered(written, TWELVE_MINUTES)]
    lab.cluster.apply(made, "--as=ada", f"--as-group={team}")


def held(lab: Lab, team: str, begin: datetime, end: datetime) -> float:
    """Node-seconds of a team between two moments: each of its pods has a node."""
    pods = json.loads(lab.cluster.kubectl("get", "pods", "--namespace", team, "--output=json"))["items"]
    spans = [span(pod["status"], end) for pod in pods if "startTime" in pod["status"]]
    return sum(max(0.0, (min(last, end) - max(first, begin)).total_seconds()) for first, last in spans)


def span(status: dict[str, Any], now: datetime) -> tuple[datetime, datetime]:
    ended = [
        one["state"]["terminated"]["finishedAt"] for one in status["containerStatuses"] if "terminated" in one["state"]
    ]
    return moment(status["startTime"]), moment(ended[0]) if ended else now


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_over_an_hour_lent_nodes_go_to_teams_by_their_share_and_back_to_their_owner_at_once(lab: Lab) -> None:
    backlog(lab, "research", 28)
    lab.uses(8 * NODES)  # alone, it has all that is idle
    backlog(lab, "platform", 44)
    lab.uses(8 * 5, "platform")
    begin = datetime.now(UTC)
    watch(
        lab.cluster, "jobs --namespace platform", condition("Complete"), counts("True", DONE), 4 * HOUR.total_seconds()
    )
    end = datetime.now(UTC)
    hour = {team: held(lab, team, begin, end) for team in ("research", "platform")}
    total = sum(hour.values())
    assert total > 0.6 * NODES * (end - begin).total_seconds(), (
        "nobody waits beside idle nodes, but for a controller's moment"
    )
    assert 0.57 < hour["platform"] / total < 0.77, f"two to one: {hour}"

    lab.run("reserve", team="reserve", nodes=5)
    lab.phases("reserve", "Running", 5, team="reserve")
    for team, own in TEAMS.items():
        lab.uses(8 * own, team)
