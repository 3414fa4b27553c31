"""The engine's state held against the plan: by name, by value, and what never ended."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from bedplate.evidence.deployed import of_state, stated
from bedplate.plan.wire import MASK, SIGNATURE
from bedplate.wrong import WrongError
from tests.stack_files import graph

URN = "urn:pulumi:lab::bedplate::kubernetes:core/v1:Namespace::{}"


def state(*urns: str) -> bytes:
    resources = [{"urn": one, "outputs": {"password": "hunter2"}} for one in urns]
    root = {"urn": "urn:pulumi:lab::bedplate::pulumi:pulumi:Stack::bedplate-lab"}
    return json.dumps({"version": 3, "deployment": {"resources": [root, *resources]}}).encode()


def test_the_engines_state_is_held_against_the_plan_by_urn_and_nothing_else_of_it_goes_on() -> None:
    child = (
        "urn:pulumi:lab::bedplate::kubernetes:kustomize/v2:Directory$kubernetes:core/v1:Service::made-by-the-provider"
    )
    found = of_state(
        state(URN.format("a"), URN.format("old"), child), "s.json", {URN.format(one): {} for one in ("a", "new")}
    )
    assert found.says["notDeployed"] == [URN.format("new")]
    assert found.says["notPlanned"] == [URN.format("old")]
    assert found.faults == 2
    assert "hunter2" not in json.dumps(found.says)


def test_what_the_engine_began_and_never_ended_is_a_fault_though_its_name_is_there() -> None:
    held = json.loads(state(URN.format("a"), URN.format("b"), URN.format("c")))
    held["deployment"]["resources"][1] |= {"initErrors": ["timed out: 'password' is hunter2"]}
    held["deployment"]["resources"][2] |= {"delete": True}
    held["deployment"]["pending_operations"] = [{"resource": {"urn": URN.format("c")}, "type": "updating"}]
    found = of_state(json.dumps(held).encode(), "s.json", {URN.format(one): {} for one in "abc"})
    assert found.faults == 3
    assert [one.rpartition("::")[2] for one in found.says["notFinished"]] == [
        "a: it never became ready",
        "b: its old one was to be deleted",
        "c: killed while updating it",
    ]
    assert "hunter2" not in json.dumps(found.says)


@pytest.mark.parametrize("text", [b"", b"{}", b'{"deployment": null}', b'{"deployment": {"resources": [1]}}'])
def test_a_file_that_is_no_state_is_refused(text: bytes) -> None:
    with pytest.raises(WrongError, match=r"s\.json: no state of the engine; `pulumi stack export` writes one"):
        of_state(text, "s.json", {"u": {}})


def test_the_state_of_another_stack_is_refused() -> None:
    with pytest.raises(WrongError, match="a state of another stack"):
        of_state(state(URN.format("x")), "s.json", {URN.format("a"): {}})


QUOTA = "urn:pulumi:lab::bedplate::bedplate:tenancy:Team$kubernetes:core/v1:ResourceQuota::q"
CHART = "urn:pulumi:lab::bedplate::kubernetes:helm.sh/v3:Release::kueue"
NETWORK = "urn:pulumi:lab::bedplate::aws:ec2/vpc:Vpc::v"


def held_as(urn: str, inputs: Mapping[str, Any], planned: Mapping[str, Any]) -> list[str]:
    text = json.dumps({"deployment": {"resources": [{"urn": urn, "inputs": inputs}]}}).encode()
    found = of_state(text, "s.json", {urn: planned})
    assert found.faults == len(found.says["notAsPlanned"])
    return found.says["notAsPlanned"]


@pytest.mark.parametrize(
    ("urn", "planned", "held", "path"),
    [
        (QUOTA, {"spec": {"hard": {"pods": 8}}}, {"spec": {"hard": {"pods": 4}}}, "spec.hard.pods"),
        (QUOTA, {"spec": {"hard": {"pods": 8}}}, {"spec": {"hard": {"pods": 8, "secrets": 1}}}, "spec.hard.secrets"),
        (QUOTA, {"spec": {"hard": {"pods": 8}}}, {"spec": {"hard": {}}}, "spec.hard.pods"),
        (QUOTA, {"spec": {"scopes": ["A"]}}, {"spec": {"scopes": ["A", "B"]}}, "spec.scopes"),
        (QUOTA, {"metadata": {"labels": {"a": "b"}}}, {"metadata": {"labels": {"a": "c"}}}, "metadata.labels.a"),
        (CHART, {"version": "0.19.2"}, {"version": "0.19.1"}, "version"),
        (CHART, {"values": {"replicas": 2}}, {"values": {"replicas": 2, "debug": True}}, "values.debug"),
        (NETWORK, {"cidrBlock": "10.0.0.0/16"}, {"cidrBlock": "10.1.0.0/16"}, "cidrBlock"),
        (NETWORK, {"rules": [{"port": 1}, {"port": 2}]}, {"rules": [{"port": 1}, {"port": 3}]}, "rules[1].port"),
    ],
)
def test_a_state_of_before_the_change_is_a_fault_by_the_path_alone(
    urn: str, planned: Mapping[str, Any], held: Mapping[str, Any], path: str
) -> None:
    assert held_as(urn, held, planned) == [f"{urn}: {path}"]
    assert held_as(urn, planned, planned) == []


@pytest.mark.parametrize(
    ("urn", "planned", "held"),
    [
        (QUOTA, {"metadata": {"name": "q"}}, {"metadata": {"name": "q", "namespace": "default"}}),
        (QUOTA, {"spec": {"hard": {"memory": "1024Gi"}}}, {"spec": {"hard": {"memory": "1Ti"}}}),
        (QUOTA, {"data": {"a": MASK}}, {"data": {"a": {SIGNATURE: "secret", "ciphertext": "x"}}}),
        (QUOTA, {"spec": {"name": None, "list": []}}, {"spec": {}}),
        (CHART, {"version": "1", "compat": "true"}, {"version": "1", "skipAwait": False}),
        (NETWORK, {"tags": {"a": "b"}}, {"tags": {"a": "b"}, "__defaults": ["instanceTenancy"], "ipv6": False}),
    ],
)
def test_what_a_provider_adds_and_what_nobody_may_see_is_no_fault(
    urn: str, planned: Mapping[str, Any], held: Mapping[str, Any]
) -> None:
    assert held_as(urn, held, planned) == []


def test_of_what_another_resource_answers_nothing_is_held_against_a_guess() -> None:
    nodes = graph("eks-p5").resources
    said = stated(nodes)
    guessed = [(node.urn, key) for node in nodes for key, urns in node.property_dependencies.items() if urns]
    assert guessed
    assert not any(key in said[urn] for urn, key in guessed)
    assert all(
        said[node.urn] == node.inputs
        for node in nodes
        if not any(node.property_dependencies.values()) and not node.read
    )
