"""On a real API server: a settled cluster has no finding, drift has, and a role that may only list describes it."""

import json
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml

from components.watching import ClusterError
from lab.binaries import LabError
from lab.cluster import Cluster
from lab.site import site
from lab.watch import established
from live.discover.asked import ASKED
from live.discover.draft import draft
from live.examine import asked, examine, observe
from live.finding import Finding
from live.kinds import NODE
from live.reading import Get, Seen, look, version
from live.wanted import Wanted, wanted
from stacks.load import load
from tests.cluster.definitions import definitions
from tests.live_cluster import installed, operated
from tests.stack_files import graph, known, profile
from tests.unit.test_structure import ROOT

STACK = "lab"
LATE = {"IPPool"}
"""Kinds that NicClusterPolicy's operator brings."""


@pytest.fixture(scope="module")
def own(cluster: Cluster) -> Iterator[Cluster]:
    """A cluster with everything of the lab's stack, by its objects and a workload for each release."""
    one = Cluster(f"{cluster.name}-live", cluster.binaries)
    one.start()
    try:
        plan = wanted(graph(STACK), known(STACK))
        needed = {kind.definition for kind in (*asked(plan), *ASKED)}
        brought = [definition for definition in definitions() if definition["metadata"]["name"] in needed]
        one.create(brought)
        established(one, (definition["metadata"]["name"] for definition in brought), seconds=180)
        bring_up(one, plan)
        yield one
    finally:
        one.stop()


def bring_up(one: Cluster, plan: Wanted) -> None:
    one.apply(site(profile(STACK)))
    declared = [declared.document for declared in plan.objects]
    one.apply(document for document in declared if document["kind"] not in LATE)
    brought = [*installed(plan), *operated(plan)]
    one.apply(
        trimmed(document) for document in brought if document["kind"] in ("Deployment", "DaemonSet", "ClusterPolicy")
    )
    for state in ("create", "condition=established"):
        one.kubectl("wait", f"--for={state}", "crd/ippools.nv-ipam.nvidia.com", "--timeout=60s")
    one.apply(document for document in declared if document["kind"] in LATE)
    one.kubectl("wait", "deployment", "--all", "-A", "--for=condition=Available", "--timeout=120s")
    for kind in ("clusterpolicy", "nicclusterpolicy"):
        one.kubectl("wait", kind, "--all", "--for=jsonpath={.status.state}=ready", "--timeout=60s")


def trimmed(document: dict[str, Any]) -> dict[str, Any]:
    """Without what only the API server writes; a DaemonSet has no replicas, and its owner is not here."""
    kept = ("name", "namespace", "labels", "annotations")
    metadata = {key: value for key, value in document["metadata"].items() if key in kept}
    spec = {key: value for key, value in document["spec"].items() if key != "replicas"}
    return {"apiVersion": document["apiVersion"], "kind": document["kind"], "metadata": metadata, "spec": spec}


def getter(one: Cluster, *more: str) -> Get:
    def get(path: str) -> str:
        try:
            return one.kubectl(*more, "get", "--raw", path)
        except LabError as error:
            raise ClusterError(str(error)) from error

    return get


def findings(one: Cluster) -> list[Finding]:
    plan = wanted(graph(STACK), known(STACK))
    return examine(plan, observe(plan, getter(one)))


def test_a_settled_cluster_has_no_finding_whatever_the_type_check_says_of_guards(own: Cluster) -> None:
    guards = "validatingadmissionpolicies"
    own.kubectl("wait", guards, "--all", "--for=jsonpath={.status.observedGeneration}=1", "--timeout=60s")
    assert "undefined field 'runPolicy'" in own.kubectl("get", guards, "bedplate-team-suspend", "-o", "json")
    deadline = time.monotonic() + 60
    while (found := findings(own)) and time.monotonic() < deadline:
        own.kubectl("wait", "localqueue", "--all", "-A", "--for=condition=Active", "--timeout=20s")
    assert found == []


@pytest.mark.parametrize(
    ("words", "undo", "where", "what"),
    [
        (("cordon", "h100-1"), ("uncordon", "h100-1"), "h100-1", "is cordoned"),
        (
            ("patch", "clusterqueue", "research", "--type=merge", "-p", '{"spec":{"stopPolicy":"Hold"}}'),
            ("patch", "clusterqueue", "research", "--type=merge", "-p", '{"spec":{"stopPolicy":"None"}}'),
            "ClusterQueue research",
            "stopPolicy: Hold",
        ),
        (
            ("label", "ns", "research", "pod-security.kubernetes.io/enforce=baseline", "--overwrite"),
            ("label", "ns", "research", "pod-security.kubernetes.io/enforce=privileged", "--overwrite"),
            "Namespace research",
            "enforce is baseline",
        ),
        (
            ("patch", "priorityclass", "training", "-p", '{"metadata":{"labels":{"x":"y"}}}'),
            ("label", "priorityclass", "training", "x-"),
            "",
            "",
        ),
    ],
)
def test_drift_is_found_on_a_real_api_server_and_what_is_not_ours_is_not(
    own: Cluster, words: tuple[str, ...], undo: tuple[str, ...], where: str, what: str
) -> None:
    own.kubectl(*words)
    found = findings(own)
    own.kubectl(*undo)
    assert [where in one.where and what in one.what for one in found] == ([True] if where else [])


def test_a_role_that_may_only_list_is_enough_to_describe_a_cluster(own: Cluster) -> None:
    page = (ROOT / "docs" / "from-cluster.md").read_text()
    role = yaml.safe_load(re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)[0])
    assert {verb for rule in role["rules"] for verb in rule["verbs"]} == {"list"}
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role["metadata"]["name"]}
    head = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "describe"},
    }
    subject = {"kind": "User", "name": "ada", "apiGroup": "rbac.authorization.k8s.io"}
    own.apply([role, {**head, "subjects": [subject], "roleRef": reference}])
    get = getter(own, "--as=ada")
    seen = Seen(version=version(get)).with_more(look(get, ASKED))
    assert seen.hidden == {}
    found = draft(seen, STACK, profile(STACK).context)
    assert [pool["shape"] for pool in found.profile["pools"]] == [{"cpus": 8, "memoryGib": 32}, "dgx-h100"]
    assert found.profile["fabric"]["rails"] == list(profile(STACK).fabric.rails)  # type: ignore[union-attr]
    assert load(found.profile).scheduling is not None
    with pytest.raises(ClusterError, match="Forbidden"):
        get("/api/v1/secrets")


def test_a_thousand_nodes_are_looked_at(own: Cluster) -> None:
    model = json.loads(own.kubectl("get", "node", "h100-0", "-o", "json"))
    own.create([spare(index, model) for index in range(1000)])
    plan = wanted(graph(STACK), known(STACK))
    seen = observe(plan, getter(own))
    found = examine(plan, seen)
    assert len(seen.of(NODE)) > 1000
    assert any("the profile says 2" in one.what for one in found)


def spare(index: int, model: Mapping[str, Any]) -> dict[str, Any]:
    """A node like another, and with a taint that keeps agents away: thousands of pods would be the scheduler's test."""
    name = f"spare-{index}"
    metadata = {"name": name, "labels": {**model["metadata"]["labels"], "kubernetes.io/hostname": name}}
    spec = {"taints": [{"key": "spare", "effect": "NoSchedule"}]}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec, "status": model["status"]}
