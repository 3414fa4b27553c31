"""What people keep in the cluster is lost in two steps, both written in the profile, or not at all."""

from typing import Any

import pytest

from bedplate.plan.graph import Graph
from bedplate.stacks.load import load
from bedplate.stacks.profile.problem import ProfileError
from tests.stack_files import STACKS, document, graph, graph_of, known

TEAM = (("Namespace", ""), ("Leaving", "-leaves"))
KEPT = ("PersistentVolume", "PersistentVolumeClaim")


def protected(declared: Graph) -> set[tuple[str, str]]:
    return {(node.kind, node.name) for node in declared.resources if node.options.protect}


@pytest.mark.parametrize("stack", STACKS)
def test_team_namespaces_claims_and_volumes_are_protected_and_nothing_else_is(stack: str) -> None:
    teams = {(kind, f"{team.name}{of}") for team in known(stack).teams for kind, of in TEAM}
    storage = {(node.kind, node.name) for node in graph(stack).resources if node.kind in KEPT}
    assert protected(graph(stack)) == teams | storage | releases(graph(stack))


def releases(declared: Graph) -> set[tuple[str, str]]:
    """Those that would take their CRDs along, and with them what people made."""
    found = {(node.kind, node.name) for node in declared.resources if node.kind == "Release"}
    return found & {("Release", name) for name in ("kueue", "volcano", "trainer")}


def test_a_team_that_retires_is_protected_no_more_and_neither_are_its_claims() -> None:
    one = document("onprem-h100-roce")
    one["tenancy"]["retire"] = ["research"]
    free = protected(graph("onprem-h100-roce")) - protected(graph_of(one))
    assert ("Namespace", "research") in free
    assert {name.split("/")[0].removesuffix("-leaves") for _, name in free} == {"research"}
    assert len(free) == 2 + 4 + 3  # the namespace and its end, four claims, three of them on a file system


def test_what_would_be_lost_with_a_team_is_said() -> None:
    one = document("onprem-h100-roce")
    one["tenancy"]["retire"] = ["research"]
    ((severity, text),) = graph_of(one).logs
    assert severity == "WARNING"
    assert text == (
        "team research retires: a deployment without it in tenancy.teams deletes namespace research with every job, "
        "server, secret and claim in it, among them the claims datasets, checkpoints, models, home"
    )


@pytest.mark.parametrize(
    ("volume", "lost"),
    [
        ("home", "its claims in research, and the data with them as its class says"),
        ("models", "its claims in research, serving; the file system keeps the data"),
    ],
)
def test_a_volume_can_retire_alone(volume: str, lost: str) -> None:
    one = document("onprem-h100-roce")
    one["storage"]["retire"] = [volume]
    declared = graph_of(one)
    free = protected(graph("onprem-h100-roce")) - protected(declared)
    assert {name.split("/")[1] for _, name in free} == {volume}
    assert lost in declared.logs[0][1]


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "team": ({"tenancy": {"teams": [{"name": "a"}], "retire": ["b"]}}, r"tenancy.retire\[0\] = b: no such team"),
    "volume": ({"storage": {"retire": ["b"]}}, r"storage.retire\[0\] = b: no such volume"),
}


@pytest.mark.parametrize("name", BAD)
def test_only_what_is_there_can_retire(name: str) -> None:
    change, said = BAD[name]
    with pytest.raises(ProfileError, match=said):
        load({**document("lab"), **change})
