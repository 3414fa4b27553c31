"""A cluster is its kube-system's uid, and no other cluster is touched because its context has the same name."""

import json
from pathlib import Path
from typing import Any

import pytest
from pulumi import dynamic

from bedplate.cluster import identity
from bedplate.cluster.errors import ClusterError
from bedplate.cluster.identity import KEPT, OtherClusterError, refuse_another
from bedplate.components import crds
from bedplate.components.crds import CrdsProvider
from bedplate.components.tenancy.leaving import LeavingProvider
from bedplate.components.verification import proof
from bedplate.components.verification.proof import NodesProvider
from tests.unit.cluster.stub import Stub

CONTEXT = "kubernetes-admin@kubernetes"
TEAM = {"context": CONTEXT, "namespace": "research", "timeout": 1.0}
CHART = {"context": CONTEXT, "of": "jobset", "version": "0.12.0", "source": "x", "repo": ""}
NODES: dict[str, Any] = {"context": CONTEXT, "pools": [], "operators": [], "guards": "", "timeout": 1.0}
OTHER = r"^context kubernetes-admin@kubernetes leads to another cluster than this stack's \(kube-system has uid theirs"


@pytest.fixture(autouse=True)
def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stub:
    """Where the context leads now: to a cluster that is not ours."""
    monkeypatch.setattr(proof, "prove", lambda _: None)
    monkeypatch.setattr(crds, "definitions", lambda _: "")
    monkeypatch.setattr(crds, "fetch", lambda *_: b"")
    monkeypatch.setattr(crds, "until", lambda *_: ([], False))
    for asked in (identity.identity, identity.identity_if_read):
        asked.cache_clear()
    return Stub(tmp_path, monkeypatch).plays(list=cluster("theirs"))


def cluster(uid: str) -> str:
    return f"case $* in *kube-system*) echo '{json.dumps({'metadata': {'uid': uid}})}' ;; esac"


def changed(stub: Stub) -> list[str]:
    """What was asked of the cluster beside its identity."""
    return [call for call in stub.calls if "--raw" not in call]


CASES = [(LeavingProvider(), TEAM), (CrdsProvider(), CHART), (NodesProvider(), NODES)]


@pytest.mark.parametrize(("provider", "asked"), CASES)
def test_what_is_made_keeps_which_cluster_it_was_made_on(
    provider: dynamic.ResourceProvider, asked: dict[str, Any]
) -> None:
    made = provider.create(asked).outs or {}
    again = provider.update("", made, asked).outs or {}
    assert made[KEPT] == again[KEPT] == "theirs"
    assert not provider.diff("", made, asked).changes


@pytest.mark.parametrize(("provider", "asked"), CASES)
def test_another_cluster_is_refused_in_the_preview_and_before_anything_changes(
    provider: dynamic.ResourceProvider, asked: dict[str, Any], stub: Stub
) -> None:
    with pytest.raises(OtherClusterError, match=OTHER):
        provider.diff("", {**asked, KEPT: "ours"}, asked)
    with pytest.raises(OtherClusterError, match=OTHER):
        provider.update("", {**asked, KEPT: "ours"}, asked)
    assert changed(stub) == []


@pytest.mark.parametrize(("provider", "asked"), [CASES[0], CASES[2]])
def test_another_clusters_namespaces_outlive_a_destroy(
    provider: dynamic.ResourceProvider, asked: dict[str, Any], stub: Stub
) -> None:
    with pytest.raises(OtherClusterError, match=OTHER):
        provider.delete("", {**asked, KEPT: "ours"})
    assert changed(stub) == []


def test_a_namespace_of_a_cluster_that_cannot_be_told_is_not_deleted(stub: Stub) -> None:
    stub.plays(list="echo 'Error from server (Forbidden): namespaces is forbidden' >&2; exit 1")
    with pytest.raises(ClusterError, match="namespaces is forbidden"):
        LeavingProvider().delete("", {**TEAM, KEPT: "ours"})
    assert changed(stub) == []


@pytest.mark.parametrize(("provider", "asked"), CASES)
def test_a_cluster_that_does_not_answer_hinders_no_preview(
    provider: dynamic.ResourceProvider, asked: dict[str, Any], stub: Stub
) -> None:
    stub.plays(list="echo 'Unable to connect to the server: EOF' >&2; exit 1")
    assert not provider.diff("", {**asked, KEPT: "ours"}, asked).changes
    assert len(stub.calls) == 1
    provider.diff("", {**asked, KEPT: "ours"}, asked)
    assert len(stub.calls) == 1, "nobody waits twice for who does not answer"
    stub.plays(list=cluster("ours"))
    assert (provider.update("", {**asked, KEPT: "ours"}, asked).outs or {})[KEPT] == "ours", "it answers by now"


def test_a_state_from_before_goes_on_and_learns_which_cluster_it_is_of(stub: Stub) -> None:
    refuse_another(TEAM, TEAM)
    assert LeavingProvider().diff("", TEAM, TEAM).changes, "an update of it does nothing else"
    assert not CrdsProvider().diff("", CHART, CHART).changes
    assert not NodesProvider().diff("", NODES, NODES).changes
    assert stub.calls == []
    assert (LeavingProvider().update("", TEAM, TEAM).outs or {})[KEPT] == "theirs"
