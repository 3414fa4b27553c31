"""The desired state of a cluster: objects, releases and facts of its plan, read once for all checks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bedplate.cluster.objects import Object, place
from bedplate.components.facts import Facts
from bedplate.live.kinds import NAMESPACE, Kind
from bedplate.live.reading import Observed
from bedplate.plan.adoption import Release, planned
from bedplate.plan.graph import Graph
from bedplate.plan.manifests import is_object, object_of

UNREAD = ("Secret",)
"""Kinds that are never read."""


@dataclass(frozen=True)
class Declared:
    """An object of the plan."""

    kind: Kind
    document: Object
    ignored: tuple[str, ...] = ()
    """Paths that the program leaves to others after it made the object."""

    @property
    def place(self) -> tuple[str, str]:
        """Namespace and name."""
        return place(self.document)

    def __str__(self) -> str:
        """As findings show it: `Deployment team/name`."""
        return self.kind.title(self.document)


@dataclass(frozen=True)
class Desired:
    """The cluster as it should be."""

    facts: Facts
    objects: tuple[Declared, ...]
    releases: tuple[Release, ...]
    values: Mapping[str, Mapping[str, Any]]
    """Chart values by the release's name."""

    @cached_property
    def kinds(self) -> frozenset[Kind]:
        """Every kind of which the plan declares objects."""
        return frozenset(declared.kind for declared in self.objects)

    def of(self, kind: Kind) -> Iterator[Declared]:
        """The declared objects of a kind."""
        return (declared for declared in self.objects if declared.kind == kind)

    def own(self, kind: Kind, observed: Observed) -> list[Object]:
        """Objects of a kind that the plan declares, as the cluster has them."""
        places = {declared.place for declared in self.of(kind)}
        return [obj for obj in observed.of(kind) if place(obj) in places]

    @cached_property
    def teams(self) -> frozenset[str]:
        """Namespaces of the teams."""
        return frozenset(team.name for team in self.facts.teams)

    @cached_property
    def homes(self) -> frozenset[str]:
        """Namespaces of what we install, and of nobody's jobs."""
        made = {declared.place[1] for declared in self.of(NAMESPACE)}
        return frozenset(made | {release.namespace for release in self.releases}) - self.teams


def desired(graph: Graph, facts: Facts) -> Desired:
    """The desired state by a plan and the facts that it was made from."""
    steps = [{"type": node.type, "inputs": node.inputs} for node in graph.resources]
    releases = [(step["inputs"], release) for step, release in planned(steps)]
    return Desired(
        facts=facts,
        objects=tuple(_objects(graph)),
        releases=tuple(release for _, release in releases),
        values={release.name: inputs.get("values") or {} for inputs, release in releases},
    )


def _objects(graph: Graph) -> Iterator[Declared]:
    for node in filter(is_object, graph.resources):
        document = object_of(node)
        if document["kind"] not in UNREAD:
            yield Declared(Kind(document["apiVersion"], document["kind"]), document, node.options.ignore_changes)
