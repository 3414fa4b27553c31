"""A cluster with everything of the lab's stack, settled: its objects, and a workload for each of its releases."""

from typing import Any

from bedplate.cluster.errors import ClusterError
from bedplate.lab.binaries import LabError
from bedplate.lab.cluster import Cluster
from bedplate.lab.site import site
from bedplate.live.desired import Desired, desired
from bedplate.live.examine import examine, observe
from bedplate.live.finding import Finding
from bedplate.live.reading import Get
from tests.live_cluster import installed, operated
from tests.stack_files import graph, known, profile

STACK = "lab"
LATE = {"IPPool"}
"""Kinds that NicClusterPolicy's operator brings."""


def bring_up(one: Cluster, plan: Desired) -> None:
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
    plan = desired(graph(STACK), known(STACK))
    return examine(plan, observe(plan, getter(one)))
