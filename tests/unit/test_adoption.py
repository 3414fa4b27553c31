"""What is on a cluster already is found, imported as it is, or refused by name."""

import base64
import gzip
import json
from typing import Any

import pytest

from bedplate.plan.adoption import (
    RELEASE,
    Key,
    Live,
    Release,
    faults,
    filled,
    foreign,
    key_of,
    projected,
    release_of,
    taken,
    to_create,
)

NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "research", "labels": {"ours": "new"}}}
THERE = {
    "apiVersion": "v1",
    "kind": "Namespace",
    "metadata": {"name": "research", "uid": "1", "labels": {"ours": "old", "owner": "ai"}, "managedFields": [{}]},
    "spec": {"finalizers": ["kubernetes"]},
}
KEY = Key("v1", "Namespace", "", "research")


def step(kind: str, name: str, inputs: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "urn": f"urn:pulumi:lab::bedplate::bedplate:a:B${kind}::{name}", "inputs": inputs}


def release(name: str, namespace: str = "gpu-operator", chart: str = "gpu-operator") -> dict[str, Any]:
    inputs = {"name": name, "namespace": namespace, "version": "v26.7.0", "chart": chart}
    return step(RELEASE, name, inputs)


def live(*releases: Release, **objects: Any) -> Live:
    return Live(objects.get("objects", {}), releases)


def test_only_what_a_preview_would_create_is_asked_for() -> None:
    new = step("kubernetes:core/v1:Namespace", "research", NAMESPACE)
    patch = step("kubernetes:nvidia.com/v1:ClusterPolicyPatch", "gate", {})
    other = step("pulumi-python:dynamic/chart:Crds", "crds", {})
    steps = [{"op": "create", "newState": one} for one in (new, patch, other)]
    assert list(to_create({"steps": [*steps, {"op": "same", "newState": new}, {"op": "delete"}]})) == [new]


@pytest.mark.parametrize("manifest", [{}, {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "x-"}}])
def test_what_has_no_name_is_nothing_that_could_be_there(manifest: dict[str, Any]) -> None:
    assert key_of(manifest) is None


def test_an_object_is_imported_as_if_we_had_made_it_the_way_it_is() -> None:
    (one,) = taken([step("kubernetes:core/v1:Namespace", "research", NAMESPACE)], live(objects={KEY: THERE}))
    assert one.entry["id"] == "research"
    assert one.entry["inputs"] == {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "research", "labels": {"ours": "old"}},
    }
    assert one.entry["outputs"]["metadata"]["labels"] == {"ours": "old", "owner": "ai"}
    assert "managedFields" not in one.entry["outputs"]["metadata"]


def test_what_a_secret_holds_is_read_by_the_engine_and_not_written_into_a_file() -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "n"}, "data": {"a": "b"}}
    key = Key("v1", "Secret", "n", "s")
    (one,) = taken([step("kubernetes:core/v1:Secret", "s", secret)], live(objects={key: secret}))
    assert one.entry == {"id": "n/s"}


def test_lists_are_taken_whole_and_absent_parts_not_at_all() -> None:
    assert projected({"a": [1], "b": {"c": 1}, "d": 2}, {"a": [3, 4], "b": {"c": 5, "e": 6}}) == {
        "a": [3, 4],
        "b": {"c": 5},
    }


@pytest.mark.parametrize(
    "chart",
    ["gpu-operator", "oci://registry.example/charts/gpu-operator", "/mirror/gpu-operator-v26.7.0.tgz"],
)
def test_a_release_of_the_same_chart_is_taken_whatever_it_is_called(chart: str) -> None:
    there = Release("gpu-operator", "gpu-operator-1712345678", "gpu-operator", "v26.3.3")
    (one,) = taken([release("gpu-operator", chart=chart)], live(there))
    assert one.entry == {"id": "gpu-operator/gpu-operator-1712345678"}
    assert one.words == "release gpu-operator/gpu-operator-1712345678: gpu-operator v26.3.3, will be v26.7.0"


def test_of_several_of_one_chart_only_the_name_tells_which_is_meant() -> None:
    there = (Release("serving", "a", "vllm-stack", "1"), Release("serving", "b", "vllm-stack", "1"))
    steps = [release(name, "serving", "vllm-stack") for name in ("b", "c")]
    assert [one.entry["id"] for one in taken(steps, live(*there))] == ["serving/b"]
    assert [one.entry["id"] for one in taken([release("c", "serving", "vllm-stack")], live(*there))] == []
    assert list(faults(steps, live(Release("other", "a", "vllm-stack", "1")))) == []


def test_a_release_in_another_namespace_is_refused_by_name() -> None:
    (fault,) = faults([release("gpu-operator")], live(Release("gpus", "mine", "gpu-operator", "v26.3.3")))
    assert fault.startswith("release gpus/mine: gpu-operator is there already, and this stack installs it into")
    both = (Release("gpus", "mine", "gpu-operator", "1"), Release("gpu-operator", "x", "gpu-operator", "1"))
    assert list(faults([release("gpu-operator")], live(*both))) == []


def test_a_release_that_is_not_whole_is_refused_by_name() -> None:
    broken = Release("gpu-operator", "gpu-operator", "gpu-operator", "v26.3.3", "pending-upgrade")
    (fault,) = faults([release("gpu-operator")], live(broken))
    assert fault.startswith("release gpu-operator/gpu-operator: Helm calls it pending-upgrade: mend it first")


def test_helms_record_is_read() -> None:
    body = {
        "name": "nfd",
        "namespace": "features",
        "chart": {"metadata": {"name": "node-feature-discovery", "version": "0.19.0"}},
        "info": {"status": "deployed"},
    }
    packed = base64.b64encode(base64.b64encode(gzip.compress(json.dumps(body).encode()))).decode()
    assert release_of({"data": {"release": packed}}) == Release("features", "nfd", "node-feature-discovery", "0.19.0")


def test_the_file_keeps_what_is_there_with_its_parents_and_providers() -> None:
    imports = {
        "resources": [
            {"type": "pulumi:providers:kubernetes", "name": "cluster"},
            {"type": "bedplate:tenancy:Teams", "name": "teams", "component": True},
            {"type": "bedplate:nodes:NFD", "name": "nfd", "component": True},
            {
                "type": "kubernetes:core/v1:Namespace",
                "name": "researchNamespace",
                "logicalName": "research",
                "id": "<PLACEHOLDER>",
                "parent": "teams",
            },
            {"type": RELEASE, "name": "nfd2", "logicalName": "nfd", "id": "<PLACEHOLDER>", "parent": "nfd"},
        ]
    }
    found = list(taken([step("kubernetes:core/v1:Namespace", "research", NAMESPACE)], live(objects={KEY: THERE})))
    document = filled(imports, found)
    assert [(one["name"], one.get("id")) for one in document["resources"]] == [
        ("cluster", None),
        ("teams", None),
        ("researchNamespace", "research"),
    ]


def test_foreign_labels_are_those_that_nobody_else_speaks_for() -> None:
    metadata = {
        "labels": {"ours": "old", "owner": "ai", "kubernetes.io/metadata.name": "research"},
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "mesh": "yes"},
    }
    assert foreign(KEY, NAMESPACE, {"metadata": metadata}) == {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "research", "labels": {"owner": "ai"}, "annotations": {"mesh": "yes"}},
    }
    assert foreign(KEY, NAMESPACE, {"metadata": {"labels": {"ours": "old"}}}) is None
