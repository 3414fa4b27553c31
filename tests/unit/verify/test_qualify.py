"""The gate's requests: few, in an order in which it may be killed, and none for a node that is gone."""

import json
from typing import Any

import pytest

from bedplate.cluster.errors import ClusterError
from bedplate.components.verification.nccl import VerificationSection
from bedplate.components.verification.qualification import NAMESPACE, QUALIFIED, REASON
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load
from bedplate.verify import gate
from bedplate.verify.cluster import Cluster, patience
from bedplate.verify.jobs import Desk, Run
from bedplate.verify.qualify import Gate
from bedplate.verify.run import Task
from tests.unit.verify.test_gate import SECTION, gated, node
from tests.unit.verify.test_node_log import GPUS, log

KNOWN = facts(load(gated()))
SOUND = log() + "network IB over 8 HCAs, 455.0 GB/s, floor 396 GB/s\n"


class Api(Cluster):
    """A cluster of a few nodes that keeps what it is told, and whose tests end at once."""

    def __init__(self, *names: str, bad: str = "", gone: str = "") -> None:
        super().__init__("lab", patience(10))
        state: dict[str, Any] = {"jobs": [], "said": [], "bad": bad, "gone": gone}
        made = [node(name) for name in names]
        for one in made:
            one["metadata"]["labels"] |= KNOWN.gpu_pools[0].selector
        object.__setattr__(self, "state", state | {"nodes": {one["metadata"]["name"]: one for one in made}})

    state: dict[str, Any]

    def nodes(self) -> list[dict[str, Any]]:
        return list(self.state["nodes"].values())

    def log(self, run: Run) -> str:
        (tested,) = [one for one in self.state["jobs"] if one["metadata"]["name"] == run.name]
        name = tested["metadata"]["labels"][gate.NODE_LABEL]
        return log(gpus=GPUS[:7]) if name == self.state["bad"] else SOUND

    def tell(self, _: str, *words: str, stdin: str = "") -> str:
        self.state["said"].append(words[0])
        if words[:2] == ("patch", "node"):
            self._patch(words[2], json.loads(words[-1])["metadata"])
        elif words[0] == "delete":
            chosen = words[words.index("-l") + 1]
            self.state["jobs"] = [one for one in self.state["jobs"] if one["metadata"]["name"] not in chosen]
        elif (made := json.loads(stdin))["kind"] == "List":
            ended = {"conditions": [{"type": "Complete", "status": "True"}]}
            self.state["jobs"] += [one | {"status": ended} for one in made["items"] if one["kind"] == "Job"]
        return ""

    def _patch(self, name: str, patch: dict[str, Any]) -> None:
        if name == self.state["gone"]:
            self.state["nodes"].pop(name, None)
            raise ClusterError(f'Error from server (NotFound): nodes "{name}" not found')
        for part in ("labels", "annotations"):
            both = self.state["nodes"][name]["metadata"][part] | patch[part]
            self.state["nodes"][name]["metadata"][part] = {key: v for key, v in both.items() if v is not None}


def run(api: Api, monkeypatch: pytest.MonkeyPatch, *asked: str) -> set[str]:
    """Who is in after it."""
    section = VerificationSection.model_validate(SECTION)
    task = Task(Desk(KNOWN, section, "ab12cd"), KNOWN.gpu_pools, "quick", frozenset(asked))
    one = Gate(task, api, api.tell)
    monkeypatch.setattr(Gate, "_jobs", lambda _: list(api.state["jobs"]))
    one.run()
    return {name for name, held in api.state["nodes"].items() if QUALIFIED in held["metadata"]["labels"]}


def test_new_nodes_cost_one_request_each_and_two_for_all_that_are_tested_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    api = Api("h100-0", "h100-1", "h100-2", "h100-3", bad="h100-2")
    assert run(api, monkeypatch) == {"h100-0", "h100-1", "h100-3"}
    home, start, *read, drop = api.state["said"]
    assert (home, start, drop) == ("apply", "apply", "delete")
    assert read == ["patch"] * 4
    assert "7 GPUs are seen, 8 must be" in api.state["nodes"]["h100-2"]["metadata"]["annotations"][REASON]


def test_a_node_that_is_asked_for_by_name_is_put_out_before_its_test(monkeypatch: pytest.MonkeyPatch) -> None:
    api = Api("h100-0", bad="h100-0")
    assert run(api, monkeypatch) == set()
    api.state.update(bad="", said=[])
    assert run(api, monkeypatch, "h100-0") == {"h100-0"}
    assert api.state["said"] == ["apply", "patch", "apply", "patch", "delete"]


def test_a_node_that_goes_while_its_test_is_prepared_gets_none_and_the_others_theirs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    api = Api("h100-0", "h100-1")
    run(api, monkeypatch)
    for one in api.state["nodes"].values():
        one["metadata"]["annotations"] = dict.fromkeys(one["metadata"]["annotations"], "another foundation")
    api.state.update(gone="h100-1", said=[])
    assert run(api, monkeypatch) == {"h100-0"}
    assert api.state["said"].count("patch") == 3


def test_tests_stand_in_a_namespace_of_their_own_outside_the_queues(monkeypatch: pytest.MonkeyPatch) -> None:
    api = Api("h100-0")
    kept: list[dict[str, Any]] = []
    tell = api.tell

    def told(context: str, *words: str, stdin: str = "") -> str:
        kept.extend(json.loads(stdin).get("items", []) if words[0] == "apply" else [])
        return tell(context, *words, stdin=stdin)

    object.__setattr__(api, "tell", told)
    run(api, monkeypatch)
    assert {one["metadata"]["namespace"] for one in kept} == {NAMESPACE}
    assert not any("queue" in key for one in kept for key in one["metadata"]["labels"])
