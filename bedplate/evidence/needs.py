"""What the pods of a planned cluster ask of its nodes, part by part, and what their namespaces let through. Pure.

For whoever hardens a cluster: each line is an exception to ask for. Teams' own pods are no part of it (docs/teams.md).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bedplate import charts
from bedplate.components.chart_keys import chart_name
from bedplate.components.pod_needs import FILE, Level, asks, charted, level
from bedplate.plan.graph import Graph, Node
from bedplate.plan.manifests import is_object, object_of
from bedplate.plan.summary import releases

ENFORCE = "pod-security.kubernetes.io/enforce"
WORKLOADS = ("DaemonSet", "Deployment", "StatefulSet", "Job")
KUSTOMIZED = "kubernetes:kustomize"


@dataclass(frozen=True)
class Needs:
    """Of one workload, or of one release or kustomization whose pods nobody has looked at."""

    part: str
    """The release or kustomization, or the object itself."""
    namespace: str
    lets: str
    """The level of its namespace; empty where the namespace is not ours."""
    workload: str = ""
    asks: tuple[str, ...] | None = None
    """What `restricted` refuses; None: not known."""

    @property
    def level(self) -> Level | None:
        """The strictest that it runs under."""
        return None if self.asks is None else level(self.asks)

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "part": self.part,
            "namespace": self.namespace,
            "namespaceLevel": self.lets or "notOurs",
            "workload": self.workload,
            "level": self.level or "notKnown",
            "asks": list(self.asks or ()),
        }


def needs(graph: Graph) -> list[Needs]:
    """Of releases, kustomizations and objects of our own, in this order."""
    lets = dict(_levels(graph))
    every = [*_of_releases(graph, lets), *_of_kustomizations(graph), *_of_objects(graph, lets)]
    return list(dict.fromkeys(every))


def _levels(graph: Graph) -> Iterator[tuple[str, str]]:
    for node in graph.resources:
        if node.kind == "Namespace" and not node.read:
            metadata: Mapping[str, Any] = node.inputs["metadata"]
            labels: Mapping[str, str] = metadata.get("labels") or {}
            yield metadata["name"], labels.get(ENFORCE, "")


def _of_releases(graph: Graph, lets: Mapping[str, str]) -> Iterator[Needs]:
    for release in releases(graph):
        chart, home = chart_name(str(release["chart"])), str(release["namespace"])
        pods, place = (
            charted(chart, str(release["version"])),
            (f"{release['name']} ({chart} {release['version']})", home),
        )
        if pods is None:
            yield Needs(*place, lets.get(home, ""))
        for workload, need in (pods or {}).items():
            yield Needs(*place, lets.get(home, ""), workload, tuple(need))


def _of_kustomizations(graph: Graph) -> Iterator[Needs]:
    """Some bring the namespace of their pods, with its label."""
    for node in graph.resources:
        if node.type.startswith(KUSTOMIZED):
            release = charts.of_folder(node.name, FILE, str(node.inputs.get("directory", "")))
            measured = charts.measured(node.name, FILE, release) if release else None
            if measured is None:
                yield Needs(node.name, "its own", "")
                continue
            for workload, need in measured["pods"].items():
                part = f"{node.name} ({release})"
                yield Needs(part, measured["namespace"], measured["lets"], workload, tuple(need))


def _of_objects(graph: Graph, lets: Mapping[str, str]) -> Iterator[Needs]:
    """Not those of teams: their namespaces are judged by their own pods."""
    teams = _teams(graph)
    for node in filter(is_object, graph.resources):
        document = object_of(node)
        home = document["metadata"].get("namespace", "")
        if document["kind"] in WORKLOADS and home not in teams:
            name = f"{document['kind']} {document['metadata']['name']}"
            yield Needs(name, home, lets.get(home, ""), name, tuple(asks(document["spec"]["template"]["spec"])))


def _teams(graph: Graph) -> set[str]:
    return {str(node.inputs["metadata"]["namespace"]) for node in graph.resources if _is_quota(node)}


def _is_quota(node: Node) -> bool:
    return node.kind == "ResourceQuota" and not node.read
