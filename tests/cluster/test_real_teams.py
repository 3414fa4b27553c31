"""Two teams on one cluster of four nodes, with the real queue: who gets what."""

import json
from collections import Counter
from collections.abc import Iterator

import pytest

from bedplate.lab.watch import watch
from tests.cluster.real import STAYS, Lab
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


def half(kueue: Lab, number: int) -> dict[str, str]:
    """Jobs of half a node each, one after the other; the node of each."""
    for index in range(number):
        kueue.submit(job("Job", name=f"half-{index}", nodes=1, gpusPerNode=4), STAYS)
        kueue.phases(f"half-{index}", "Running", 1)
    return {f"half-{index}": kueue.pods(f"half-{index}")[0]["spec"]["nodeName"] for index in range(number)}


def test_small_jobs_fill_a_node_before_the_next_so_that_gangs_of_whole_nodes_still_fit(kueue: Lab) -> None:
    assert sorted(Counter(half(kueue, 4).values()).values()) == [2, 2]
    kueue.run("gang", team="platform")
    kueue.phases("gang", "Running", 2, team="platform")


def test_gpus_that_are_free_in_pieces_start_no_part_of_a_gang_and_whole_nodes_start_all_of_it(kueue: Lab) -> None:
    placed = half(kueue, 8)
    one_on_each = {node: name for name, node in placed.items()}
    assert len(one_on_each) == 4
    kueue.cluster.kubectl("delete", "jobs", *one_on_each.values(), "--namespace", "research")
    kueue.uses(16)
    kueue.run("gang", team="platform")  # of 16 GPUs, which are its own and free
    told = lambda seen: any("doesn't allow to fit" in text for text in seen.values())  # noqa: E731
    watch(kueue.cluster, "workloads --namespace platform", "{{range .status.conditions}}{{.message}} {{end}}", told)
    assert kueue.pods("gang", team="platform") == []

    left = [name for name in placed if name not in one_on_each.values()]
    kueue.cluster.kubectl("delete", "jobs", *left[:2], "--namespace", "research")
    kueue.phases("gang", "Running", 2, team="platform")
    assert {placed[name] for name in left[:2]} == {
        pod["spec"]["nodeName"] for pod in kueue.pods("gang", team="platform")
    }


def test_a_gang_larger_than_its_pool_waits_as_a_whole_until_the_last_of_its_nodes_has_come(kueue: Lab) -> None:
    late = ("h100-2", "h100-3")
    nodes = json.loads(kueue.cluster.kubectl("get", "nodes", *late, "--output=json"))["items"]
    kueue.cluster.kubectl("delete", "nodes", *late)
    kueue.run("gang", nodes=4)
    for index, node in enumerate(nodes):
        kueue.condition("gang", "QuotaReserved", "False")
        assert kueue.pods("gang") == [], f"after {index} of them"
        kept = {key: node["metadata"][key] for key in ("name", "labels", "annotations")}
        kueue.cluster.create([node | {"metadata": kept}])
    kueue.phases("gang", "Running", 4)
    assert len({pod["spec"]["nodeName"] for pod in kueue.pods("gang")}) == 4
