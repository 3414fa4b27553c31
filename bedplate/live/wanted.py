"""What a plan implies for its cluster: objects, releases and facts. One reading of the plan for all checks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bedplate.components.facts import Facts
from bedplate.live.kinds import Kind
from bedplate.live.reading import Object, place
from bedplate.plan.adoption import Release, planned
from bedplate.plan.graph import Graph
from bedplate.plan.manifests import is_object, object_of

UNREAD = frozenset({"Secret"})
"""Kinds that are never read."""


@dataclass(frozen=True)
class Declared:
    """One object of the plan."""

    kind: Kind
    document: Object
    ignored: tuple[str, ...] = ()
    """Paths that the program leaves to others after it made the object."""

    @property
    def place(self) -> tuple[str, str]:
        """Namespace and name."""
        return place(self.document)

    def __str__(self) -> str:
        """As a finding calls it."""
        return f"{self.kind.kind} {'/'.join(part for part in self.place if part)}"


@dataclass(frozen=True)
class Wanted:
    """The cluster as it should be."""

    facts: Facts
    objects: tuple[Declared, ...]
    releases: tuple[Release, ...]
    values: Mapping[str, Mapping[str, Any]]
    """Of each release, by its name."""

    @cached_property
    def kinds(self) -> frozenset[Kind]:
        """Every kind of which there should be one."""
        return frozenset(one.kind for one in self.objects)

    def of(self, kind: Kind) -> Iterator[Declared]:
        """Objects of a kind."""
        return (one for one in self.objects if one.kind == kind)

    @cached_property
    def teams(self) -> frozenset[str]:
        """Namespaces of people."""
        return frozenset(team.name for team in self.facts.teams)

    @cached_property
    def homes(self) -> frozenset[str]:
        """Namespaces of what we install, and of nobody's jobs."""
        made = {one.place[1] for one in self.of(Kind("v1", "Namespace"))}
        return frozenset(made | {one.namespace for one in self.releases}) - self.teams


def wanted(graph: Graph, facts: Facts) -> Wanted:
    """Of a plan, and of the facts that it was made from."""
    steps = [{"type": node.type, "inputs": node.inputs} for node in graph.resources]
    releases = [(step["inputs"], release) for step, release in planned(steps)]
    return Wanted(
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
