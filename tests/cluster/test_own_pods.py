"""Every sound profile on a real API server: what its cluster holds the teams to takes the pods that it brings them.

What the Pod Security levels of their namespaces take, the rules say of every profile (NET-219, STO-706).
"""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from bedplate.lab.cluster import Cluster
from bedplate.plan.manifests import manifests
from tests.cluster import guarding
from tests.cluster.objects import namespace
from tests.tools.golden_objects import SOUND, declared
from tests.training_jobs import templates

GUARDS = ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
INDEXED = ("Job", "JobSet", "TrainingRuntime")
OWNER = {"apiVersion": "batch/v1", "kind": "Job", "name": "own", "uid": "1-2-3", "controller": True}
CONTROLLER = ("--as=system:serviceaccount:kube-system:job-controller", "--as-group=system:masters")
Document = Mapping[str, Any]


@pytest.fixture(scope="module")
def ground(cluster: Cluster) -> Iterator[Callable[[set[str], Sequence[Document]], None]]:
    """Makes teams' namespaces and PriorityClasses, which stay until the last profile is tried."""
    made: set[tuple[str, str]] = set()

    def make(teams: set[str], classes: Sequence[Document]) -> None:
        wanted = [*map(namespace, sorted(teams)), *classes]
        # No class ever changes, and whether one preempts depends on the profile's scheduler.
        cluster.kubectl(
            "delete", "--ignore-not-found", *(f"PriorityClass/{one['metadata']['name']}" for one in classes)
        )
        made.update((one["kind"], one["metadata"]["name"]) for one in wanted)
        cluster.apply(wanted)

    yield make
    cluster.kubectl("delete", *(f"{kind}/{name}" for kind, name in made))


@pytest.mark.parametrize("name", SOUND)
def test_the_guards_of_a_profile_take_its_own_pods(
    name: str, cluster: Cluster, ground: Callable[[set[str], Sequence[Document]], None]
) -> None:
    documents = [one.document for one in manifests(declared(name))]
    guards = [one for one in documents if one["kind"] in GUARDS]
    teams = held(guards)
    ground(teams, [one for one in documents if one["kind"] == "PriorityClass"])
    with guarding.guarding(cluster, guards):
        tried = [guarding.attempt(cluster, pod, *CONTROLLER, *guarding.TRY) for pod in pods(documents, teams)]
    assert [said for taken, said in tried if not taken] == []


def held(guards: Sequence[Document]) -> set[str]:
    """The namespaces to which guards are bound."""
    bound = (one["spec"]["matchResources"]["namespaceSelector"] for one in guards if one["kind"] == GUARDS[1])
    return {value for selector in bound for value in selector["matchExpressions"][0]["values"]}


def pods(declared: Sequence[Document], teams: set[str]) -> Iterator[Document]:
    """Those of every template in the teams' namespaces, as controllers make them."""
    for one in declared:
        if (home := one["metadata"].get("namespace")) in teams:
            yield from (pod(template, one["kind"], home) for template in templates(one))


def pod(template: Document, kind: str, home: str) -> Document:
    """One that the controller of this kind makes; of claims for devices and accounts the lab knows nothing."""
    spec = copy.deepcopy(template["spec"])
    for left_out in ("resourceClaims", "serviceAccountName"):
        spec.pop(left_out, None)
    spec["automountServiceAccountToken"] = False
    for container in [*spec["containers"], *spec.get("initContainers", ())]:
        container.setdefault("image", "operators.example/own:1")
        container.get("resources", {}).pop("claims", None)
        if kind in INDEXED:
            container["env"] = [*container.get("env", ()), {"name": "JOB_COMPLETION_INDEX", "value": "0"}]
    metadata = {**template.get("metadata", {}), "name": "own", "namespace": home, "ownerReferences": [OWNER]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
