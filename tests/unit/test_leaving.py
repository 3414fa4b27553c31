"""A team's namespace goes before the controllers of what is in it, and what keeps it is said."""

from typing import Any

import pytest

from bedplate.cluster.errors import ClusterError
from bedplate.components.tenancy import leaving
from bedplate.components.tenancy.leaving import LeavingProvider, remaining
from tests.closure import closure
from tests.stack_files import STACKS, graph, known

PROPS = {"context": "here", "namespace": "research", "timeout": 600.0}
STUCK = {
    "metadata": {"name": "research"},
    "status": {
        "conditions": [
            {"type": "NamespaceDeletionDiscoveryFailure", "status": "False", "message": "all discovered"},
            {
                "type": "NamespaceFinalizersRemaining",
                "status": "True",
                "message": "Some content in the namespace has finalizers remaining: kueue.x-k8s.io/resource-in-use in 3 resource instances",
            },
        ]
    },
}
CONTROLLERS = ("volcano", "kai", "jobset", "trainer", "kuberay", "kueue", "mpi-operator", "training-operator", "keda")


@pytest.mark.parametrize("stack", STACKS)
def test_no_controller_goes_before_the_teams_objects(stack: str) -> None:
    declared = graph(stack)
    components = {node.name: node.urn for node in declared.resources if node.type.startswith("bedplate:")}
    ends = [node for node in declared.resources if node.kind == "Leaving"]
    assert len(ends) == len(known(stack).teams)
    for end in ends:
        before = closure(declared, end.urn)
        for name in CONTROLLERS:
            assert {child.urn for child in declared.children(components.get(name, "")) if child.custom} <= before
        assert any(declared.by_urn[urn].name == end.inputs["namespace"] for urn in before)


@pytest.mark.parametrize("stack", STACKS)
def test_model_servers_go_before_their_namespace(stack: str) -> None:
    declared = graph(stack)
    ends = {node.urn for node in declared.resources if node.kind == "Leaving"}
    servers = [node for node in declared.resources if ":serving:" in node.urn and node.custom]
    assert all(ends <= closure(declared, node.urn) for node in servers)


def test_what_keeps_a_namespace_is_said_in_kubernetes_own_words() -> None:
    assert remaining("research", [STUCK]) == [
        (
            "namespace research does not go; Some content in the namespace has finalizers remaining: "
            "kueue.x-k8s.io/resource-in-use in 3 resource instances"
        )
    ]
    assert remaining("research", [{"metadata": {"name": "serving"}}]) == []


def test_only_the_deletion_does_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[str, ...]] = []
    monkeypatch.setattr(leaving, "kubectl", lambda *words: said.append(words))
    monkeypatch.setattr(leaving, "until", lambda *_: ([], True))
    monkeypatch.setattr("bedplate.components.dynamic.identity", lambda _: "uid")
    provider = LeavingProvider()
    provider.create(PROPS)
    provider.update("research", PROPS, PROPS)
    assert said == []
    provider.delete("research", PROPS)
    assert said == [("here", "delete", "namespace", "research", "--wait=false", "--ignore-not-found")]


def test_a_namespace_that_stays_fails_the_deletion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaving, "kubectl", lambda *_: "")

    def until(_: Any, __: str, judge: Any, ___: float) -> tuple[list[str], bool]:
        return judge.judge([STUCK]), True

    monkeypatch.setattr(leaving, "until", until)
    with pytest.raises(ClusterError, match=r"namespace research does not go; .*resource-in-use"):
        LeavingProvider().delete("research", PROPS)
