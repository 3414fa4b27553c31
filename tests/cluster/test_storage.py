"""A real API server binds what the stacks declare."""

from typing import Any

import pytest

from bedplate.lab.cluster import Cluster
from tests.stack_files import graph, kubernetes

KINDS = ("StorageClass", "PersistentVolume", "PersistentVolumeClaim")
STATIC = ("onprem-h100-roce", "eks-p5", "gke-a3-mega")


def objects(stack: str) -> list[dict[str, Any]]:
    found = [node.inputs for node in graph(stack).resources if kubernetes(node) and node.inputs.get("kind") in KINDS]
    return [{key: value for key, value in one.items() if not key.startswith("__")} for one in found]


@pytest.fixture(params=STATIC)
def declared(request: pytest.FixtureRequest, cluster: Cluster) -> Any:
    """The stack's storage on the API server, in namespaces of its own, gone afterwards."""
    stack = request.param
    wanted = objects(stack)
    homes = sorted({one["metadata"]["namespace"] for one in wanted if "namespace" in one["metadata"]})
    cluster.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": home}} for home in homes])
    cluster.apply(wanted)
    yield wanted
    for kind in reversed(KINDS):
        for one in wanted:
            if one["kind"] == kind:
                home = one["metadata"].get("namespace")
                place = ("--namespace", home) if home else ()
                cluster.kubectl("delete", kind, one["metadata"]["name"], *place, "--wait=true", "--timeout=60s")


def test_every_static_claim_binds_to_its_own_volume(cluster: Cluster, declared: list[dict[str, Any]]) -> None:
    static = [one for one in declared if one["kind"] == "PersistentVolumeClaim" and "volumeName" in one["spec"]]
    assert static
    for claim in static:
        name, home = claim["metadata"]["name"], claim["metadata"]["namespace"]
        bound = "--for=jsonpath={.status.phase}=Bound"
        cluster.kubectl("wait", bound, f"pvc/{name}", "--namespace", home, "--timeout=60s")
        volume = cluster.kubectl("get", "pvc", name, "--namespace", home, "-o", "jsonpath={.spec.volumeName}")
        assert volume == claim["spec"]["volumeName"]
