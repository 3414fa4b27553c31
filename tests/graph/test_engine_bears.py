"""What only a real engine would notice: objects that it refuses, and inputs that it would see as changed for ever."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from bedplate.components.scheduling.kueue import AGGREGATED
from bedplate.plan.graph import Graph, Node
from bedplate.plan.summary import waits_for_status
from tests.stack_files import STACKS, document, graph, graph_of, kubernetes


def variants() -> Iterator[tuple[str, dict[str, Any]]]:
    """Clusters that no stack file asks for: every scheduler, every training controller, verification of each kind."""
    for scheduler in ("kueue", "volcano", "kai"):
        one = document("onprem-h100-roce")
        one["scheduling"] = {"kind": scheduler, "topology": one["scheduling"]["topology"]}
        one["training"] = {key: {} for key in ("jobset", "trainer", "mpiOperator", "kuberay", "leaderWorkerSet")}
        one["verification"] = {"team": "research", "image": "registry.example.com/pytorch:1"}
        yield scheduler, one


GRAPHS = [*STACKS, *(pytest.param(one, id=name) for name, one in variants())]


def declared(stack: str | dict[str, Any]) -> Graph:
    return graph(stack) if isinstance(stack, str) else graph_of(stack)


@pytest.mark.parametrize("stack", GRAPHS)
def test_no_core_kind_is_declared_as_a_custom_resource(stack: str | dict[str, Any]) -> None:
    """The SDK takes it; the engine says that `v1` has no group."""
    objects = [node for node in declared(stack).resources if kubernetes(node)]
    assert [node.urn for node in objects if node.type.split(":")[1] == "v1"] == []


@pytest.mark.parametrize("stack", GRAPHS)
def test_nothing_empty_is_written_into_metadata(stack: str | dict[str, Any]) -> None:
    """The API server drops it, so the engine sees a change at every `up`."""
    objects = [node for node in declared(stack).resources if node.type.startswith("kubernetes:")]
    assert [f"{node.urn} {path}" for node in objects for path in empty(node)] == []


def empty(node: Node) -> Iterator[str]:
    """Of the object and of whatever it is a template of."""
    yield from _empty(node.inputs, "", within=False)


def _empty(value: Any, path: str, *, within: bool) -> Iterator[str]:
    if isinstance(value, Mapping):
        if within and not value:
            yield path
        for key, item in value.items():
            yield from _empty(item, f"{path}.{key}", within=within or key == "metadata")
    elif isinstance(value, list):
        if within and not value:
            yield path
        for index, item in enumerate(value):
            yield from _empty(item, f"{path}[{index}]", within=within)


def test_an_aggregated_role_of_kueue_selects_nothing_after_every_release() -> None:
    """Else its uninstall waits until its timeout for a role that Kubernetes applies again."""
    release = next(node for node in graph("lab").resources if node.name == "kueue" and node.kind == "Release")
    emptied = [node for node in graph("lab").resources if node.kind == "ClusterRolePatch"]
    assert [node.inputs["metadata"]["name"] for node in emptied] == list(AGGREGATED)
    for node in emptied:
        assert release.urn in node.dependencies
        assert node.inputs["metadata"]["annotations"]["bedplate/release-revision"] == "1"
        assert node.options.retain_on_delete


def test_kais_second_namespace_is_ours_as_the_chart_would_keep_it_for_ever() -> None:
    profile = document("onprem-h100-roce")
    profile["scheduling"] = {"kind": "kai", "topology": profile["scheduling"]["topology"]}
    nodes = {node.name: node for node in graph_of(profile).resources}
    assert nodes["kai"].inputs["values"]["global"]["resourceReservation"] == {"createNamespace": False}
    assert nodes["kai-resource-reservation"].urn in nodes["kai"].dependencies


@pytest.mark.parametrize("stack", GRAPHS)
def test_the_provider_understands_every_condition_that_is_waited_for(stack: str | dict[str, Any]) -> None:
    """It reads the annotation only when it makes the object, minutes into an `up`."""
    objects = [node for node in declared(stack).resources if node.type.startswith("kubernetes:")]
    waits = [wait for node in objects if (wait := waits_for_status(node))]
    each = [one for wait in waits for one in (json.loads(wait) if wait.startswith("[") else [wait])]
    assert each
    assert [one for one in each if not one.startswith(("jsonpath={", "condition="))] == []
