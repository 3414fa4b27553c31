"""Nodes are whole when they have what the profile says; those that do not are named."""

import json
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any

import pytest

from bedplate.components.readiness import GUARDS
from bedplate.components.verification import judge as judging
from bedplate.components.verification.judge import Pools, late_operands, split, tags
from bedplate.components.verification.pools import device_pools, on_a_node, operators, required_of
from bedplate.lab.nodes import capacity
from bedplate.lab.nodes import nodes as lab_nodes
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.closure import closure
from tests.stack_files import STACKS, document, graph, graph_of, known, profile

READY = {"type": "Ready", "status": "True"}
POOL = {"name": "h100", "selector": {"gpu": "h100"}, "nodes": 2, "required": 2, "each": {"nvidia.com/gpu": "8"}}


def node(name: str, status: str = "True", gpu: str = "h100", **allocatable: str) -> dict[str, Any]:
    have = {"nvidia.com/gpu": "8", **allocatable}
    conditions = [{"type": "Ready", "status": status}]
    return {
        "metadata": {"name": name, "labels": {"gpu": gpu}},
        "status": {"conditions": conditions, "allocatable": have},
    }


def short_pools(pools: Sequence[Any], nodes: Iterable[Any]) -> list[str]:
    judge = Pools(pools)
    for one in nodes:
        judge.see(one["metadata"]["name"], one)
    return list(judge.faults())


def test_a_judge_that_was_told_of_each_change_says_what_one_would_that_saw_the_end_alone() -> None:
    pools = [POOL, POOL | {"name": "all", "selector": {}, "nodes": 3, "required": 3}]
    states = [node("a"), node("a", status="False"), node("a", gpu="none"), node("b"), node("c"), None]
    last: dict[str, Any] = {}
    judge = Pools(pools)
    for number, state in enumerate(Random(1).choices(states, k=300)):  # noqa: S311 - a row of changes
        name = "abc"[number % 3]
        one = state and {**state, "metadata": {**state["metadata"], "name": name}}
        judge.see(name, one)
        last = {key: value for key, value in last.items() if key != name} | ({name: one} if one else {})
        assert list(judge.faults()) == short_pools(pools, last.values())


def test_a_change_of_one_node_costs_one_node(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    faults = judging.node_faults

    def counted(pool: Any, one: Any) -> Iterator[str]:
        looked.append(one["metadata"]["name"])
        return faults(pool, one)

    monkeypatch.setattr(judging, "node_faults", counted)
    pool = POOL | {"nodes": 1000, "required": 1000}
    judge = Pools([pool])
    for index in range(1000):
        judge.see(str(index), node(str(index), status=str(index > 0)))
    assert any(judge.faults())
    looked.clear()
    judge.see("0", node("0"))
    assert (any(judge.faults()), looked) == (False, ["0"])


def test_whole_nodes_are_no_fault() -> None:
    assert short_pools([POOL], [node("a"), node("b")]) == []


def test_a_node_short_of_gpus_is_named_with_what_it_lacks() -> None:
    short = node("b") | {"status": {"conditions": [READY], "allocatable": {"nvidia.com/gpu": "7"}}}
    assert short_pools([POOL], [node("a"), short]) == [
        "pool h100: 1 of 2 nodes are whole, 2 must be",
        "  b: has 7 of 8 nvidia.com/gpu",
    ]


def test_a_node_that_is_not_ready_is_not_whole_whatever_it_last_said_it_has() -> None:
    assert short_pools([POOL], [node("a"), node("b", status="Unknown")])[1:] == ["  b: is not Ready"]


def test_a_node_without_its_pools_labels_is_named_as_a_stray() -> None:
    assert short_pools([POOL], [node("a"), node("b", gpu="none")]) == [
        "pool h100: 1 of 2 nodes are whole, 2 must be",
        "  1 nodes carry its labels (gpu=h100)",
        "nodes that carry no pool's labels: b",
    ]


def test_a_tolerated_node_may_be_broken() -> None:
    assert short_pools([POOL | {"required": 1.0}], [node("a"), node("b", status="False")]) == []


def test_only_the_first_of_many_broken_nodes_are_named() -> None:
    pool = POOL | {"nodes": 100, "required": 100}
    told = short_pools([pool], [node(f"n{i:02}", status="False") for i in range(100)])
    assert len(told) == 14
    assert told[-1] == "  and 88 more"


@pytest.mark.parametrize(
    ("image", "parts"),
    [
        ("nvcr.io/nvidia/driver:595.1-ubuntu24.04", ("nvcr.io/nvidia/driver", "595.1-ubuntu24.04")),
        ("host:5000/a/b:1", ("host:5000/a/b", "1")),
        ("host:5000/a/b@sha256:12", ("host:5000/a/b", "sha256:12")),
        ("host:5000/a/b:1@sha256:12", ("host:5000/a/b", "sha256:12")),
    ],
)
def test_an_image_is_a_name_and_a_tag(image: str, parts: tuple[str, str]) -> None:
    assert split(image) == parts


SPEC = {
    "driver": {
        "repository": "nvcr.io/nvidia",
        "image": "driver",
        "version": "595.1",
        "manager": {"repository": "nvcr.io/nvidia", "image": "manager", "version": "v2"},
    },
    "mig": {"strategy": "single"},
}
POLICY = {"metadata": {"uid": "1"}, "spec": SPEC}


def operand(image: str, owner: str = "1", **status: int) -> dict[str, Any]:
    settled = {"observedGeneration": 3, "desiredNumberScheduled": 8, "updatedNumberScheduled": 8, "numberAvailable": 8}
    return {
        "metadata": {"name": "driver", "generation": 3, "ownerReferences": [{"uid": owner}]},
        "spec": {"template": {"spec": {"containers": [{"image": image}]}}},
        "status": settled | status,
    }


def test_a_policy_names_its_images_in_nested_parts() -> None:
    assert tags(SPEC) == {"nvcr.io/nvidia/driver": {"595.1"}, "nvcr.io/nvidia/manager": {"v2"}}


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (operand("nvcr.io/nvidia/driver:595.1-ubuntu24.04"), []),
        (operand("example.com/sidecar:1"), []),
        (operand("nvcr.io/nvidia/driver:590.1", owner="another"), []),
        (
            operand("nvcr.io/nvidia/driver:590.1-ubuntu24.04"),
            ["driver: runs nvcr.io/nvidia/driver:590.1-ubuntu24.04, its policy names 595.1"],
        ),
        (
            operand("nvcr.io/nvidia/driver:595.10-ubuntu24.04"),
            ["driver: runs nvcr.io/nvidia/driver:595.10-ubuntu24.04, its policy names 595.1"],
        ),
        (
            operand("nvcr.io/nvidia/driver:595.1.3"),
            ["driver: runs nvcr.io/nvidia/driver:595.1.3, its policy names 595.1"],
        ),
        (operand("nvcr.io/nvidia/driver:595.1", observedGeneration=2), ["driver: its change has not been seen yet"]),
        (
            operand("nvcr.io/nvidia/driver:595.1", updatedNumberScheduled=6, numberAvailable=7),
            ["driver: 6 of 8 pods run its present form", "driver: 7 of 8 pods are available"],
        ),
    ],
)
def test_an_operand_that_has_not_followed_its_policy_is_late(one: dict[str, Any], said: list[str]) -> None:
    assert late_operands([POLICY], 0, [one]) == said


def test_operands_of_tolerated_nodes_may_be_missing() -> None:
    one = operand("nvcr.io/nvidia/driver:595.1", updatedNumberScheduled=7, numberAvailable=7)
    assert late_operands([POLICY], 1, [one]) == []


@pytest.mark.parametrize("stack", STACKS)
def test_simulated_nodes_of_every_stack_are_whole(stack: str) -> None:
    cluster = known(stack)
    wanted = [required_of(cluster, pool) for pool in device_pools(cluster)]
    simulated = [
        {**one, "status": {**one["status"], "conditions": [READY]}, "metadata": one["metadata"]}
        for one in lab_nodes(profile(stack))
    ]
    assert wanted or all(pool.autoscale for pool in cluster.gpu_pools)
    assert short_pools(wanted, simulated) == []
    for pool in device_pools(cluster):
        for name in on_a_node(cluster, pool):
            less = [{**one, "status": {**one["status"], "allocatable": {}}} for one in simulated]
            assert any(name in line for line in short_pools(wanted, less))
            assert name in capacity(cluster.fabric, pool)


def test_an_autoscaled_pool_owes_its_fewest_nodes_and_an_empty_one_nothing() -> None:
    one = document("onprem-h100-roce")
    one["pools"][1]["minReady"] = 6
    wanted = required_of(facts(load(one)), facts(load(one)).pool("h100"))
    assert (wanted["nodes"], wanted["required"]) == (8, 6)
    assert operators(facts(load(one)))[0]["spare"] == 2
    elastic = document("eks-p5")
    elastic["pools"][-1]["autoscale"] = {"min": 0, "max": 4}
    assert elastic["pools"][-1]["name"] not in [pool.name for pool in device_pools(facts(load(elastic)))]


def test_a_pool_cannot_wait_for_more_nodes_than_it_has() -> None:
    one = document("lab")
    one["pools"][1]["minReady"] = 3
    with pytest.raises(ProfileError, match=r"pools\[1\].minReady = 3: the pool has 2 nodes"):
        load(one)


def test_the_check_waits_for_both_operators_and_the_fabrics_networks_wait_for_it() -> None:
    declared = graph("onprem-h100-ib")
    proof = next(one for one in declared.resources if one.name == "pools-ready")
    names = {declared.by_urn[urn].name for urn in closure(declared, proof.urn)}
    assert {"gpu-operator-ready", "network-operator-ready"} <= names
    job = next(one for one in declared.resources if one.name == "nccl-verification-job")
    assert proof.urn in closure(declared, job.urn)


@pytest.mark.parametrize("stack", STACKS)
def test_what_a_gate_waits_for_is_a_condition_and_what_it_guards_stands_beside_it(stack: str) -> None:
    for node in graph(stack).resources:
        found = (node.inputs.get("metadata") or {}).get("annotations") or {}
        if wait := found.get("pulumi.com/waitFor"):
            conditions = json.loads(wait) if wait.startswith("[") else [wait]
            assert all(one.startswith(("jsonpath={", "condition=")) for one in conditions), node.urn
            # These wait for a status of their own; a gate waits for that of what it guards.
            own = ("Deployment", "StatefulSet", "LeaderWorkerSet", "ResourceQuota", "Service")
            assert node.kind in own or found[GUARDS], node.urn


@pytest.mark.parametrize(
    ("section", "gates"),
    [
        ({"gpuOperator": {"gdrcopy": True}}, {"gpu-operator-ready", "pools-ready"}),
        ({"networkOperator": {"sharedPodsPerNode": 7}}, {"network-operator-ready", "pools-ready"}),
        ({"gpuOperator": {"version": "v26.3.3"}}, {"gpu-operator-ready", "pools-ready"}),
    ],
)
def test_a_change_of_what_a_gate_guards_opens_it_again_and_no_other(section: dict[str, Any], gates: set[str]) -> None:
    def guarded(one: dict[str, Any]) -> dict[str, Any]:
        nodes = {node.name: node.inputs for node in graph_of(one).resources if node.name.endswith("-ready")}
        return {
            name: inputs.get("guards") or inputs["metadata"]["annotations"][GUARDS] for name, inputs in nodes.items()
        }

    before, after = guarded(document("lab")), guarded(document("lab") | section)
    assert {name for name in before if before[name] != after[name]} == gates


def test_a_node_without_a_label_of_the_topology_is_not_whole_because_kueue_would_leave_it_out() -> None:
    wanted = required_of(known("lab"), known("lab").pool("h100"))
    assert wanted["labels"] == ["fabric.topograph.run/tier-2", "fabric.topograph.run/tier-1"]
    bare = node("a")
    placed = {**bare, "metadata": {**bare["metadata"], "labels": {**bare["metadata"]["labels"], "tier": "1"}}}
    assert short_pools([POOL | {"required": 1.0, "labels": ["tier"]}], [placed]) == []
    told = short_pools([POOL | {"labels": ["tier"]}], [placed, node("b")])
    assert told[1:] == ["  b: lacks the label tier"]


def test_a_scheduler_that_reads_no_topology_asks_for_no_label() -> None:
    assert required_of(known("onprem-h100-ib"), known("onprem-h100-ib").pool("h100"))["labels"] == []
