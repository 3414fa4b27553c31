"""`bedplate node`: each request leaves the cluster safe, nobody's cordon but ours is lifted, and the story has an order."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from bedplate.cluster.errors import ClusterError
from bedplate.components.verification.qualification import PROVEN_ON, QUALIFIED
from bedplate.lab.nodes import nodes as simulated
from bedplate.nodes import __main__ as command
from bedplate.nodes.desk import Desk, Member
from bedplate.nodes.maintenance import Site, put_back, taken_out
from bedplate.nodes.pods import blocked, held, standing
from bedplate.nodes.story import REASON, SINCE, closed, faults, story
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from tests.unit.verify.test_gate import gated

PROFILE = load(gated())
KNOWN = facts(PROFILE)
POOL = KNOWN.gpu_pools[0]
NOW = datetime(2026, 11, 23, 18, 0, tzinfo=UTC)


def node(name: str = "h100-0", *, within: bool = True, **spec: Any) -> dict[str, Any]:
    """As the lab simulates it, with what its device plugins would advertise."""
    made = next(one for one in simulated(PROFILE) if POOL.selector.items() <= one["metadata"]["labels"].items())
    metadata: dict[str, Any] = {
        **made["metadata"],
        "name": name,
        "uid": f"uid-{name}",
        "creationTimestamp": "2026-11-20T10:00:00Z",
    }
    labels = {**metadata["labels"], **({QUALIFIED: "true"} if within else {})}
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-20T10:01:00Z"}
    metadata = {**metadata, "labels": labels, "annotations": {PROVEN_ON: "d1"} if within else {}}
    status = {**made["status"], "conditions": [ready]}
    return {**made, "metadata": metadata, "spec": {**made.get("spec", {}), **spec}, "status": status}


def pod(name: str, kind: str = "Job", namespace: str = "research", **more: Any) -> dict[str, Any]:
    spec = {
        "terminationGracePeriodSeconds": 600,
        "containers": [{"resources": {"requests": {"nvidia.com/gpu": "8"}}}],
    }
    metadata = {"name": name, "namespace": namespace, "labels": {"app": "a"}}
    owners = [{"kind": kind, "controller": True}] if kind else []
    return {"metadata": {**metadata, "ownerReferences": owners}, "spec": spec, "status": {"phase": "Running"}, **more}


class Api:
    """Keeps nodes, and answers the few requests that the command makes."""

    def __init__(self, *nodes: dict[str, Any], pods: tuple[dict[str, Any], ...] = (), stuck: str = "") -> None:
        self.nodes = {one["metadata"]["name"]: one for one in nodes}
        self.pods, self.stuck, self.said = list(pods), stuck, list[str]()

    def __call__(self, _: str, *words: str) -> str:
        self.said.append(" ".join(words[:2]))
        if words[:2] == ("patch", "node"):
            self._patch(self.nodes[words[2]], json.loads(words[-1]))
        elif words[0] == "drain":
            assert all(self.nodes[name]["spec"]["unschedulable"] for name in words[4:])
            if self.stuck:
                raise ClusterError(f"kubectl drain: {self.stuck}")
            self.pods.clear()
        elif words[1] == "pods":
            return json.dumps({"items": self.pods})
        elif words[1] == "poddisruptionbudgets":
            return json.dumps({"items": [budget("keep", 0, app="a"), budget("loose", 1, app="a")]})
        elif words[1] == "events":
            return json.dumps({"items": []})
        return ""

    def _patch(self, one: dict[str, Any], patch: dict[str, Any]) -> None:
        assert patch["metadata"]["uid"] == one["metadata"]["uid"], "the precondition"
        for part in ("labels", "annotations"):
            both = {**one["metadata"][part], **patch["metadata"][part]}
            one["metadata"][part] = {key: value for key, value in both.items() if value is not None}
        one["spec"] = {**one["spec"], **patch["spec"]}


def budget(name: str, allowed: int, **labels: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "research"}
    return {
        "metadata": metadata,
        "spec": {"selector": {"matchLabels": labels}},
        "status": {"disruptionsAllowed": allowed},
    }


def run(api: Api, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    members: list[Member] = [(POOL, one) for one in api.nodes.values()]
    desk = Desk("here", KNOWN, Site("context", api))
    monkeypatch.setattr("bedplate.nodes.desk.desk", lambda _: (desk, 0))
    monkeypatch.setattr(Desk, "members", members)
    monkeypatch.setattr("bedplate.verify.__main__.main", lambda asked: api.said.append(" ".join(asked)) or 0)
    return command.main([words[0], "here", *words[1:]])


def test_a_drained_node_is_cordoned_and_out_of_the_queues_before_the_first_pod_is_asked_to_go(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    api = Api(node(), pods=(pod("train-0"), pod("agent", "DaemonSet")))
    assert run(api, monkeypatch, "drain", "h100-0", "--reason", "swap DIMM") == 0
    assert api.said == ["get pods", "patch node", "drain --ignore-daemonsets"]
    left = api.nodes["h100-0"]
    assert QUALIFIED not in left["metadata"]["labels"]
    assert left["metadata"]["annotations"][REASON] == "swap DIMM"
    said = capsys.readouterr().out
    assert "  research/train-0, 8 GPUs, up to 600 s to end\n" in said
    assert "agent" not in said
    assert "pools[].minReady" in said


def test_a_dry_run_says_what_would_end_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    api = Api(node(), pods=(pod("train-0"),))
    before = json.dumps(api.nodes)
    assert run(api, monkeypatch, "drain", "h100-0", "--reason", "swap DIMM", "--dry-run") == 0
    assert json.dumps(api.nodes) == before
    assert api.said == ["get pods"]


def test_what_a_budget_keeps_on_the_node_is_named_and_the_node_stays_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    api = Api(node(), pods=(pod("train-0"), pod("done", status={"phase": "Succeeded"})), stuck="global timeout reached")
    assert run(api, monkeypatch, "drain", "h100-0", "--reason", "swap DIMM") == 1
    out, err = capsys.readouterr()
    assert "still there:\n  research/train-0, held by the PodDisruptionBudget keep\n" in out
    assert err == "kubectl drain: global timeout reached\nrun it again to go on\n"
    assert api.nodes["h100-0"]["spec"]["unschedulable"]


def test_a_node_comes_back_without_the_label_and_is_tested_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    api = Api(node())
    run(api, monkeypatch, "drain", "h100-0", "--reason", "swap DIMM")
    assert run(api, monkeypatch, "return", "h100-0") == 0
    back = api.nodes["h100-0"]
    assert QUALIFIED not in back["metadata"]["labels"]
    assert back["metadata"]["annotations"] == {}
    assert not back["spec"]["unschedulable"]
    assert api.said[-1] == "here --qualify --nodes h100-0"


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (node(unschedulable=True), "somebody else has cordoned it; if that was you: kubectl uncordon h100-0"),
        (node(), "is in already"),
        (node(within=False) | {"status": {"conditions": [], "allocatable": {}}}, "is not Ready"),
    ],
)
def test_who_may_not_come_back_stays_as_it_is(
    one: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    api = Api(one)
    before = json.dumps(api.nodes)
    assert run(api, monkeypatch, "return", "h100-0") == 1
    assert f"h100-0: {said}" in capsys.readouterr().out
    assert json.dumps(api.nodes) == before
    assert api.said == []


def test_an_unknown_node_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    api = Api(node())
    assert run(api, monkeypatch, "drain", "h100-00", "--reason", "swap DIMM") == 2
    assert capsys.readouterr().err == "profile: NODE = h100-00: no such node of a pool; did you mean h100-0?\n"
    assert api.said == []


def test_why_tells_a_node_in_order_and_of_all_only_those_that_no_job_gets(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    api = Api(node(), node("h100-1"), pods=(pod("train-0"),))
    assert run(api, monkeypatch, "why") == 0
    assert capsys.readouterr().out == "here: 2 of 2 nodes of pools take jobs\n"
    api.nodes["h100-1"]["spec"]["unschedulable"] = True
    assert run(api, monkeypatch, "why") == 1
    assert capsys.readouterr().out.splitlines() == [
        "h100-1 (pool h100)",
        "  now: is cordoned: not by `bedplate node drain`",
        "here: 1 of 2 nodes of pools take jobs",
    ]
    assert run(api, monkeypatch, "why", "h100-0") == 0
    assert capsys.readouterr().out.splitlines() == [
        "h100-0 (pool h100)",
        "  2026-11-20 10:00  joined the cluster",
        "  2026-11-20 10:01  Ready",
        "  holds: research/train-0, 8 GPUs, up to 600 s to end",
    ]
    assert run(api, monkeypatch, "why", "h100-1", "--json") == 1
    (told,) = json.loads(capsys.readouterr().out)["nodes"]
    assert told["obstacles"] == ["is cordoned: not by `bedplate node drain`"]


def test_conditions_of_any_detector_are_faults_and_kubernetes_own_are_said_once() -> None:
    sick = node()
    sick["status"]["conditions"] = [
        {"type": "Ready", "status": "Unknown", "message": "Kubelet stopped posting node status."},
        {"type": "XidError", "status": "True", "message": "GPU 3 fell off the bus"},
        {"type": "FrequentKubeletRestart", "status": "False"},
        {"type": "AcceleratedHardwareReady", "status": "False", "reason": "NvidiaXID79Error"},
        {"type": "NetworkingReady", "status": "True"},
        {"type": "DiskPressure", "status": "True", "message": "full"},
    ]
    assert faults(KNOWN, POOL, sick) == [
        "is not Ready",
        "has DiskPressure",
        "XidError is True: GPU 3 fell off the bus",
        "AcceleratedHardwareReady is False: NvidiaXID79Error",
    ]


def test_the_story_has_conditions_maintenance_and_events_of_both_apis_in_order() -> None:
    told = node()
    told["metadata"]["annotations"] |= {REASON: "swap DIMM", SINCE: "2026-11-23T18:00:00+00:00"}
    events = [
        {"reason": "Rebooted", "message": "boot id changed.", "lastTimestamp": "2026-11-22T09:00:00Z", "count": 2},
        {"reason": "XidError", "message": "79", "eventTime": "2026-11-21T09:00:00.123456Z", "lastTimestamp": None},
        {"reason": "Late", "message": "x", "series": {"count": 3, "lastObservedTime": "2026-11-23T19:00:00.000000Z"}},
        {"reason": "Timeless", "message": "never"},
    ]
    assert [text for _, text in story(told, events)] == [
        "joined the cluster",
        "Ready",
        "XidError: 79",
        "Rebooted: boot id changed (2 times)",
        "taken out by hand: swap DIMM",
        "Late: x (3 times)",
    ]


def test_a_node_that_is_out_keeps_its_first_time_and_a_patch_is_for_that_machine_alone() -> None:
    out = node()
    first = taken_out(out, "fan", NOW)
    assert first["metadata"]["annotations"][SINCE] == "2026-11-23T18:00:00+00:00"
    out["metadata"]["annotations"] = {SINCE: "2026-11-22T00:00:00+00:00"}
    again = taken_out(out, "fan and DIMM", NOW)
    notes = again["metadata"]["annotations"]
    assert (notes[SINCE], notes[REASON]) == ("2026-11-22T00:00:00+00:00", "fan and DIMM")
    assert again["metadata"]["uid"] == put_back(out)["metadata"]["uid"] == "uid-h100-0"


def test_a_gate_and_a_cordon_close_a_node_and_the_cordon_is_what_is_said() -> None:
    assert closed(POOL, node()) == []
    assert closed(POOL, node(within=False)) == ["not tested yet: --qualify"]
    assert closed(POOL, node(within=False, unschedulable=True)) == ["is cordoned: not by `bedplate node drain`"]


@pytest.mark.parametrize(
    ("selector", "kept"),
    [
        ({}, True),
        ({"matchLabels": {"app": "b"}}, False),
        ({"matchExpressions": [{"key": "app", "operator": "In", "values": ["a", "b"]}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "In", "values": ["b"]}]}, False),
        ({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["a"]}]}, False),
        ({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["b"]}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "Exists"}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}, False),
        ({"matchExpressions": [{"key": "role", "operator": "DoesNotExist"}]}, True),
    ],
)
def test_a_budget_holds_the_pods_that_its_selector_selects(selector: dict[str, Any], kept: bool) -> None:  # noqa: FBT001
    one = budget("keep", 0) | {"spec": {"selector": selector}}
    assert blocked([pod("train-0")], [one]) == {"research/train-0": ["keep"] if kept else []}
    assert blocked([pod("train-0", namespace="other")], [one]) == {"other/train-0": []}


def test_pods_without_gpus_or_grace_are_shown_by_name_alone() -> None:
    assert held({"metadata": {"name": "a", "namespace": "b"}, "spec": {}}) == "b/a"
    assert held(pod("a") | {"spec": {"containers": [{"resources": {"limits": {"nvidia.com/mig-1g.10gb": "1"}}}]}}) == (
        "research/a, 1 GPU"
    )
    assert standing([pod("mirror", "Node"), pod("naked", "")]) == [pod("naked", "")]
