"""Reading what the engine prints."""

import json

from bench.steps import critical_path, edges, label, planned, seconds

URN = "urn:pulumi:lab::bedplate::bedplate:operators:GpuOperator$kubernetes:helm.sh/v3:Release::gpu-operator"


def test_a_resource_is_named_by_its_own_type_and_name() -> None:
    assert label(URN) == "Release gpu-operator"


def test_only_what_changes_is_planned() -> None:
    preview = {"steps": [{"op": "same", "urn": "urn:pulumi:lab::b::t::x"}, {"op": "update", "urn": URN}]}
    assert planned(json.dumps(preview)) == {"Release gpu-operator": "update"}


def test_the_engines_own_providers_are_not_compared() -> None:
    default = {"urn": "urn:pulumi:lab::b::pulumi:providers:aws::default_7_51", "type": "pulumi:providers:aws"}
    ours = {"urn": "urn:pulumi:lab::b::pulumi:providers:kubernetes::cluster", "type": "pulumi:providers:kubernetes"}
    child = {"urn": URN, "type": "kubernetes:helm.sh/v3:Release", "parent": "p", "dependencies": ["b", "a"]}
    assert edges([default, ours, child]) == {ours["urn"]: ("", frozenset()), URN: ("p", frozenset({"a", "b"}))}


def test_times_are_read_from_the_event_log() -> None:
    log = [
        json.dumps({"timestamp": 100, "resourcePreEvent": {"metadata": {"urn": "a"}}}),
        json.dumps({"timestamp": 101, "diagnosticEvent": {}}),
        json.dumps({"timestamp": 104, "resOutputsEvent": {"metadata": {"urn": "a"}}}),
    ]
    assert seconds(log) == {"a": 4.0}


def test_the_critical_path_is_the_slowest_chain_not_the_longest() -> None:
    graph = {"a": [], "b": ["a"], "c": ["b"], "d": ["a"]}
    assert critical_path(graph, {"a": 1, "b": 1, "c": 1, "d": 5}) == (6.0, ["a", "d"])
    assert critical_path({}, {}) == (0.0, [])
