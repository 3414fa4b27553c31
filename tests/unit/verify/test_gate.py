"""The gate lets in what has passed and nothing else, however often it is killed, and never tests more than it may."""

import json
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import pytest

from bedplate.components.verification.qualification import PROVEN_ON, QUALIFIED, REASON, TESTED_ON
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from bedplate.verify import gate
from bedplate.verify.outcome import Case
from tests.stack_files import document, graph_of

DIGEST = "d1"
PASSED = [Case("GPUs", "n", "passed", "8 × H100")]
FAILED = [*PASSED, Case("links", "n", "failed", "7 of 8 links are active")]


def node(name: str, uid: str = "", *, within: bool = False, **notes: str) -> dict[str, Any]:
    labels = {QUALIFIED: "true"} if within else {}
    return {"metadata": {"name": name, "uid": uid or name, "labels": labels, "annotations": notes}}


def job(tested: dict[str, Any], *, over: bool = False, digest: str = DIGEST) -> dict[str, Any]:
    made = gate.marked({"metadata": {"name": f"verify-{tested['metadata']['name']}"}}, tested, digest)
    ends = [{"type": "Failed", "status": "True"}] if over else []
    return {**made, "status": {"conditions": ends}}


def merged(one: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """As the API server merges; None takes a key away."""
    assert patch["metadata"]["uid"] == one["metadata"]["uid"], "the precondition"
    for part in ("labels", "annotations"):
        both = {**one["metadata"][part], **patch["metadata"][part]}
        one["metadata"][part] = {key: value for key, value in both.items() if value is not None}
    return one


def names(nodes: Sequence[Any]) -> list[str]:
    return [one["metadata"]["name"] for one in nodes]


def test_new_nodes_are_tested_a_few_at_a_time() -> None:
    nodes = [node(f"n{number}") for number in range(10)]
    todo = gate.next_(nodes, [job(nodes[0]), job(nodes[1])], DIGEST, 3)
    assert names(todo.start) == ["n2"]
    assert todo.running == 2
    assert names(gate.next_(nodes, [], DIGEST, 3).start) == ["n0", "n1", "n2"]


def test_a_node_that_failed_stays_out_until_somebody_asks_for_it_by_name() -> None:
    failed = merged(node("bad"), gate.result(job(node("bad")), FAILED))
    assert failed["metadata"]["labels"] == {}
    assert failed["metadata"]["annotations"][REASON] == "links: 7 of 8 links are active"
    assert gate.next_([failed], [], DIGEST, 3).start == ()
    assert names(gate.next_([failed], [], DIGEST, 3, {"bad"}).start) == ["bad"]


def test_unknown_lets_nobody_in() -> None:
    for cases in ([], [Case("GPUs", "n", "unknown", "the log breaks off")], [*PASSED, Case("NVLink", "n", "unknown")]):
        found = merged(node("n"), gate.result(job(node("n")), cases))
        assert not gate.is_in(found)


def test_a_node_that_passed_is_in_and_is_tested_again_only_on_another_foundation() -> None:
    found = merged(node("n"), gate.result(job(node("n")), PASSED))
    assert gate.is_in(found)
    assert gate.next_([found], [], DIGEST, 3).start == ()
    assert names(gate.next_([found], [], "d2", 3).start) == ["n"]
    assert gate.next_([node("new"), found], [], "d2", 1).start[0]["metadata"]["name"] == "new"


def test_a_node_under_test_is_out_before_its_test_begins() -> None:
    found = merged(node("n", within=True, **{PROVEN_ON: "d0", TESTED_ON: "d0"}), gate.out(node("n")))
    assert not gate.is_in(found)
    assert gate.due(found, DIGEST)


@pytest.mark.parametrize(
    ("nodes", "jobs"),
    [
        ([node("n", "another machine")], [job(node("n"))]),
        ([], [job(node("n"))]),
        ([node("n")], [job(node("n"), digest="d0", over=True)]),
    ],
)
def test_a_test_of_what_is_no_more_is_dropped_and_never_read(nodes: list[Any], jobs: list[Any]) -> None:
    todo = gate.next_(nodes, jobs, DIGEST, 3)
    assert names(todo.drop) == ["verify-n"]
    assert todo.read == ()


def test_what_was_dropped_counts_until_it_is_gone() -> None:
    nodes = [node("a"), node("b")]
    assert gate.next_(nodes, [job(node("gone"))], DIGEST, 1).start == ()


@pytest.mark.parametrize("cases", [PASSED, FAILED])
def test_what_was_read_by_one_who_was_killed_then_is_taken_away_and_not_read_again(cases: list[Case]) -> None:
    """Its pods may be gone already, and with them the log: a sound node would be put out."""
    read = merged(node("n"), gate.result(job(node("n")), cases))
    todo = gate.next_([read], [job(read, over=True)], DIGEST, 3)
    assert (todo.read, names(todo.drop), todo.running) == ((), ["verify-n"], 0)
    again = merged(read, gate.out(read))
    assert names(gate.next_([again], [job(again, over=True)], DIGEST, 3).read) == ["verify-n"]


def test_a_new_node_may_be_tested_as_it_is_and_every_other_is_put_out_first() -> None:
    assert gate.is_out(node("new"))
    assert not gate.is_out(node("in", within=True))
    assert not gate.is_out(merged(node("bad"), gate.result(job(node("bad")), FAILED)))


class KilledError(Exception):
    """The gate is gone."""


class World:
    """Nodes, jobs that end at once, and a gate that is killed after any request."""

    def __init__(self, bad: set[str], total: int) -> None:
        self.nodes = {f"n{number:03}": node(f"n{number:03}") for number in range(total)}
        self.jobs: dict[str, dict[str, Any]] = {}
        self.bad, self.most, self.entered = bad, 0, set[str]()

    def gate(self, lives: int, at_once: int) -> bool:
        """One life of the gate, which ends before its so-many-th request; whether it came to its end."""
        left = count(lives, -1)

        def request() -> None:
            if next(left) <= 0:
                raise KilledError

        try:
            while self.round(at_once, request):
                pass
        except KilledError:
            return False
        return True

    def round(self, at_once: int, request: Callable[[], None]) -> bool:
        """Whether there was anything to do."""
        todo = gate.next_(self.nodes.values(), list(self.jobs.values()), DIGEST, at_once)
        for one in todo.drop:
            request()
            del self.jobs[one["metadata"]["labels"][gate.NODE_LABEL]]
        for one in todo.read:
            name = one["metadata"]["labels"][gate.NODE_LABEL]
            request()
            merged(self.nodes[name], gate.result(one, FAILED if name in self.bad else PASSED))
            self.entered |= {name} if gate.is_in(self.nodes[name]) else set()
            request()
            del self.jobs[name]
        for one in todo.start:
            request()
            merged(one, gate.out(one))  # type: ignore[arg-type]
            request()
            self.jobs[one["metadata"]["name"]] = job(dict(one), over=True)
            self.most = max(self.most, len(self.jobs))
        return bool(todo.start or todo.read or todo.drop)


@pytest.mark.parametrize("step", range(1, 12))
def test_a_gate_that_is_killed_at_any_request_lets_in_every_sound_node_and_no_bad_one(step: int) -> None:
    world = World({"n003", "n017", "n029"}, 40)
    lives = 0
    while not world.gate(step + lives % 3, 4):
        lives += 1
        assert lives < 500
    assert world.entered == world.nodes.keys() - world.bad
    assert world.most <= 4
    assert world.jobs == {}
    assert all(world.nodes[name]["metadata"]["annotations"][REASON] for name in world.bad)


SECTION = {"team": "research", "image": "example.com/pytorch:1", "qualify": {"atOnce": 4}}


def gated(**more: Any) -> dict[str, Any]:
    return document("lab") | {"verification": SECTION} | more


def test_with_a_gate_kueues_flavor_wants_the_label_and_the_deployment_runs_no_job() -> None:
    found = graph_of(gated())
    (flavor,) = [one for one in found.resources if one.name == "h100-qualified-resourceflavor"]
    assert flavor.inputs["spec"]["nodeLabels"][QUALIFIED] == "true"
    (system,) = [one for one in found.resources if one.name == "system-resourceflavor"]
    assert QUALIFIED not in json.dumps(dict(system.inputs))
    queues = [one for one in found.resources if one.type.endswith(":ClusterQueue")]
    assert all("h100-qualified" in json.dumps(dict(one.inputs)) for one in queues)
    assert not any("nccl-verification" in one.name for one in found.resources)


def test_pods_of_operators_are_not_kept_off_and_node_checks_do_not_want_the_label() -> None:
    (pool,) = facts(load(gated())).gpu_pools
    assert QUALIFIED not in pool.selector
    assert QUALIFIED not in pool.labels


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"scheduling": {"kind": "volcano"}}, "only Kueue's flavors keep pods off"),
        ({"verification": {**SECTION, "team": "reserch"}}, "no such team on this cluster"),
    ],
)
def test_a_gate_that_would_keep_nobody_out_is_refused(more: dict[str, Any], said: str) -> None:
    with pytest.raises(ProfileError, match=said):
        load(gated(**more))


def test_a_node_that_somebody_has_cordoned_is_not_tested_even_if_it_is_asked_for() -> None:
    cordoned = node("n0") | {"spec": {"unschedulable": True}}
    assert gate.next_([cordoned, node("n1")], [], DIGEST, 3, {"n0"}).start == (node("n1"),)
    assert gate.state(cordoned).status == "unknown"
    assert gate.state(cordoned).text == "cordoned, so it is not tested: `bedplate node return`"
