"""What is cut into slices has room for slices: one count for jobs, quotas, alerts, nodes and policies."""

from dataclasses import replace
from typing import Any

import pytest

from bedplate.components.facts import Facts
from bedplate.components.facts.queues import amounts
from bedplate.components.observability.alerts.nodes import by_resource
from bedplate.components.scheduling.kai_queues import gpus, queue_manifests
from bedplate.components.workload.contract import contract
from bedplate.lab.nodes import nodes
from bedplate.policies.facts import Pool
from bedplate.stacks.facts.policies import policy_facts
from bedplate.stacks.jobs.checks import load_job
from bedplate.stacks.profile.problem import ProfileError
from tests.stack_files import STACKS, known, profile
from tests.training_jobs import cluster, container, job, main, rendered, templates

L40S = "inference-l40s"
MIG, SHARED = "a100-mig", "l4-shared"
SLICE = "nvidia.com/mig-1g.10gb"


def servers(pool: str, replicas: int) -> dict[str, Any]:
    return job("LeaderWorkerSet", nodes=1, replicas=replicas, gpusPerNode=1, pool=pool)


@pytest.mark.parametrize(("pool", "room"), [(MIG, 2 * 8 * 7), (SHARED, 1 * 4 * 4), ("l40s", 4 * 8)])
def test_a_pool_has_room_for_as_many_pods_as_it_has_slices(pool: str, room: int) -> None:
    facts = cluster(L40S, None)
    assert facts.pool(pool).room(1) == room
    assert load_job(servers(pool, room), facts).replicas == room
    with pytest.raises(ProfileError, match=f"room for {room} such pods; use {room} or fewer"):
        load_job(servers(pool, room + 1), facts)


@pytest.mark.parametrize("scheduler", ["kueue", "volcano"])
@pytest.mark.parametrize(("pool", "room"), [(MIG, 112), (SHARED, 16)])
def test_a_queue_admits_as_many_as_there_is_room_for(scheduler: str, pool: str, room: int) -> None:
    assert load_job(servers(pool, room), cluster(L40S, scheduler)).replicas == room
    with pytest.raises(ProfileError, match=r"the job asks for \d+ nvidia.com/\S+, and team research is given"):
        load_job(servers(pool, room // 2 + 8), cluster(L40S, scheduler, borrow=False))


@pytest.mark.parametrize("stack", STACKS)
def test_the_pods_of_a_full_node_fit_on_it(stack: str) -> None:
    facts = known(stack)
    for pool in facts.gpu_pools:
        for count in {1, pool.gpus} if not pool.sliced else {1}:
            part = contract(facts, facts.teams[0].name).share(pool, count, fabric=False)
            wanted = amounts(part.resources, pool.units // count)
            assert wanted["cpu"] <= pool.cpus
            assert 0 < wanted["memory"] <= pool.memory_gib * 1024
            assert wanted[pool.resource] == pool.extended_resources[pool.resource]


def test_a_node_of_more_slices_than_cores_gives_each_a_part_of_one() -> None:
    facts = known(L40S)
    crowded = replace(facts.pool(SHARED), cpus=32, time_slices=16)
    assert contract(facts, "serving").share(crowded, 1).resources["cpu"] == "450m"


def test_the_contract_says_one_slice_where_gpus_are_sliced() -> None:
    document = contract(known(L40S), "serving").document()["wholeNode"]
    assert document[MIG]["resources"][SLICE] == "1"
    assert document[SHARED]["resources"]["nvidia.com/gpu.shared"] == "1"
    assert document["l40s"]["resources"]["nvidia.com/gpu"] == "8"


def test_a_rendered_slice_takes_its_part_of_the_node() -> None:
    for template in templates(main(rendered(servers(MIG, 4), cluster(L40S)))):
        assert container(template)["resources"]["limits"] == {"cpu": "2", "memory": "16Gi", SLICE: "1"}


def test_a_slice_may_ask_for_fewer_cores_than_a_gpu() -> None:
    assert load_job(servers(MIG, 1) | {"cpus": 2}, cluster(L40S)).cpus == 2
    with pytest.raises(ProfileError, match="fewer than 4 for each of 1 GPUs starve"):
        load_job(servers("l40s", 1) | {"cpus": 2}, cluster(L40S))


def two_profiles() -> Facts:
    facts = known(L40S)
    cut = replace(facts.pool(MIG), mig={"1g.10gb": 4, "3g.40gb": 1})
    return replace(facts, pools=(cut,))


def test_every_kind_of_slice_is_watched_under_its_name() -> None:
    found = by_resource(two_profiles())
    assert {name: units for name, ((_, units),) in found.items()} == {
        "nvidia_com_mig_1g_10gb": 32,
        "nvidia_com_mig_3g_40gb": 8,
    }


def test_kai_counts_a_slice_by_its_compute_slices() -> None:
    assert gpus({"cpu": 3, "nvidia.com/gpu": 8, "nvidia.com/mig-3g.40gb": 2, "nvidia.com/gpu.shared": 16}) == 8 + 6
    parent, *_ = (one for one in queue_manifests(cluster(L40S, "kai")) if one["kind"] == "Queue")
    assert parent["spec"]["resources"]["gpu"]["quota"] == 4 * 8 + 2 * 8 * 7


def test_nodes_advertise_what_the_pool_says() -> None:
    for node in nodes(profile(L40S)):
        pool = known(L40S).pool(node["metadata"]["name"].rsplit("-", 1)[0])
        there = {name: int(count) for name, count in node["status"]["capacity"].items() if name.startswith("nvidia")}
        assert there == pool.extended_resources


def test_policies_are_told_how_many_slices_a_node_has() -> None:
    pools = {pool["name"]: Pool.model_validate(pool) for pool in policy_facts(profile(L40S))["pools"]}
    assert (pools[MIG].units, pools[SHARED].units, pools["l40s"].units) == (112, 16, 32)
    assert Pool(name="x", nodes=2, gpus_per_node=8, time_slicing=4).units == 64
    assert Pool(name="x", nodes=2, gpus_per_node=8, mig=True).units is None
    assert Pool(name="x", gpus_per_node=8).units is None
