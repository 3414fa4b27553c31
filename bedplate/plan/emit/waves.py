"""What a controller can deliver of a plan, in waves: each waits for all before it, and what has no equal is said."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bedplate.plan.answers import KUSTOMIZATION, RELEASE
from bedplate.plan.emit.conditions import Gate, gate
from bedplate.plan.emit.look import looks
from bedplate.plan.errors import PlanError
from bedplate.plan.graph import PROVIDER_PREFIX, Graph, Node
from bedplate.plan.manifests import is_object, is_patch, object_of
from bedplate.plan.summary import NODES_PROOF
from bedplate.plan.waves import seconds, waited
from bedplate.plan.wire import MASK

CRDS = "pulumi-python:dynamic/chart:Crds"
"""The CRDs of a release's chart, which both controllers bring with the release itself."""
LEAVING = "pulumi-python:dynamic/tenancy:Leaving"
TIMEOUT = 600
LOST = (
    "policies: neither controller runs them; keep `bedplate plan` in the pull request",
    "order within a wave, and what need not wait: each wave waits for the whole one before",
    "the way back: what leaves the plan is pruned at once, in no order, and a team's own objects with its namespace",
)
"""Of every plan."""


@dataclass(frozen=True)
class Object:
    """One that the program itself makes, or a part of one."""

    document: Mapping[str, Any]
    """As kubectl takes it."""
    kept: bool = False
    """Whether it stays on the cluster when it leaves the plan."""

    @classmethod
    def of(cls, node: Node) -> "Object":
        """What the plan has."""
        return cls(object_of(node), _is_kept(node))


@dataclass(frozen=True)
class Chart:
    """A Helm release."""

    node: Node
    brings_crds: bool
    """False: another release of the plan brings them."""

    @property
    def kept(self) -> bool:
        """Whether it stays on the cluster when it leaves the plan."""
        return _is_kept(self.node)

    @property
    def name(self) -> str:
        """Helm's."""
        return str(self.node.inputs.get("name", self.node.name))

    @property
    def namespace(self) -> str:
        """Where Helm puts it."""
        return str(self.node.inputs["namespace"])

    @property
    def version(self) -> str:
        """Of the chart."""
        return str(self.node.inputs["version"])

    @property
    def values(self) -> Mapping[str, Any]:
        """What it sets."""
        return self.node.inputs.get("values") or {}

    @property
    def timeout(self) -> int:
        """Seconds."""
        return int(self.node.inputs["timeout"])

    @property
    def repository(self) -> str:
        """Of HTTP; empty where the chart itself is an artifact of a registry."""
        stated: Mapping[str, Any] = self.node.inputs.get("repositoryOpts") or {}
        return str(stated.get("repo") or "")

    @property
    def chart(self) -> str:
        """Its name in the repository, or its address in the registry."""
        return str(self.node.inputs["chart"])


@dataclass(frozen=True)
class Wave:
    """What is applied side by side."""

    number: int
    charts: tuple[Chart, ...]
    objects: tuple[Object, ...]
    patches: tuple[Object, ...]
    """Parts of objects that a chart owns."""
    kustomizations: tuple[Node, ...]
    gates: tuple[Gate, ...]
    timeout: int
    """Seconds that its gates may take; without one, what objects need to be there."""


class Delivery:
    """A plan, as far as it can be delivered."""

    def __init__(self, graph: Graph, image: str = "") -> None:
        self.graph = graph
        self.image = image
        """With Bedplate and kubectl, for a Job that looks at nodes; empty: nobody looks."""
        self._depths = dict[str, int]()
        self._closures = dict[str, frozenset[str]]()
        releases = [node for node in graph.resources if node.type == RELEASE]
        self._release_of = {
            node.urn: release
            for node in graph.resources
            if node.type == CRDS
            for release in releases
            if _is_of(release, node)
        }
        if local := [node.name for node in releases if str(node.inputs["chart"]).startswith(("/", "."))]:
            raise PlanError([f"charts.mirror: a folder, which no controller reaches ({local[0]}): name oci://REGISTRY"])

    @cached_property
    def waves(self) -> tuple[Wave, ...]:
        """In order; none is empty."""
        rows: dict[int, list[Node]] = {}
        for node in filter(self._is_delivered, self.graph.resources):
            rows.setdefault(self._depth(node), []).append(node)
        return tuple(self._wave(number, rows[depth]) for number, depth in enumerate(sorted(rows)))

    def lost(self) -> Iterator[str]:
        """What the controllers have no equal for, in this plan."""
        yield from LOST
        for node in self.graph.resources:
            if _holds_secret(node):
                yield f"secrets: {_secret(node)}, to be made by whoever has them"
            elif node.type == NODES_PROOF and not self.image:
                yield f"gate {node.name}: nobody looks at the nodes; a Job does by --image IMAGE"
            elif node.type == LEAVING:
                yield f"{node.name}: nobody waits until a team's jobs have ended before its namespace goes"
        clouds = sorted({node.package for node in self.graph.resources if _is_cloud(node)})
        for package in clouds:
            count = sum(_is_cloud(node) and node.package == package for node in self.graph.resources)
            yield f"cloud: {count} resources of {package}; nodes and networks must be there"

    def _is_delivered(self, node: Node) -> bool:
        looked = node.type == NODES_PROOF and self.image
        known = looked or is_object(node) or is_patch(node) or node.type in (RELEASE, KUSTOMIZATION)
        return bool(known) and not node.read and (node.type == RELEASE or not _holds_secret(node))

    def _depth(self, node: Node) -> int:
        """How many deliveries come before it at least."""
        if node.urn not in self._depths:
            self._depths[node.urn] = max(
                (self._depth(one) + self._is_delivered(one) for one in self._before(node)), default=0
            )
        return self._depths[node.urn]

    def _before(self, node: Node) -> Iterator[Node]:
        """CRDs come with their release: whoever waits for them waits for it, if it does not wait for him."""
        for one in self._waited(node):
            release = self._release_of.get(one.urn)
            yield release if release and node.urn not in self._closure(release) else one

    def _waited(self, node: Node) -> Iterator[Node]:
        yield from (self.graph.by_urn[urn] for urn in waited(self.graph, node) if urn in self.graph.by_urn)

    def _closure(self, node: Node) -> frozenset[str]:
        """All that it waits for, and itself."""
        if node.urn not in self._closures:
            before = (self._closure(one) for one in self._waited(node))
            self._closures[node.urn] = frozenset((node.urn,)).union(*before)
        return self._closures[node.urn]

    def _wave(self, number: int, nodes: list[Node]) -> Wave:
        charts = tuple(Chart(node, self._brings_crds(node)) for node in nodes if node.type == RELEASE)
        objects = [Object.of(node) for node in nodes if is_object(node)]
        proofs = [node for node in nodes if node.type == NODES_PROOF]
        objects += [Object(one) for proof in proofs for one in looks(self.graph, proof, self.image)]
        patches = tuple(Object.of(node) for node in nodes if is_patch(node))
        gates = tuple(one for node in nodes if (one := gate(node)))
        bundles = tuple(node for node in nodes if node.type == KUSTOMIZATION)
        timeout = max((seconds(node) for node in nodes), default=0) or TIMEOUT
        return Wave(number, charts, tuple(objects), patches, bundles, gates, timeout)

    def _brings_crds(self, node: Node) -> bool:
        return not node.inputs.get("skipCrds") or node in self._release_of.values()


def annotated(document: Mapping[str, Any], annotations: Mapping[str, str]) -> Mapping[str, Any]:
    """The object with these, too."""
    metadata: Mapping[str, Any] = document["metadata"]
    return {**document, "metadata": {**metadata, "annotations": {**metadata.get("annotations", {}), **annotations}}}


def kept(one: Object | Chart, document: Mapping[str, Any], annotations: Mapping[str, str]) -> Mapping[str, Any]:
    """With what keeps it on the cluster, if it is to stay."""
    return annotated(document, annotations) if one.kept else document


def _is_kept(node: Node) -> bool:
    return node.options.protect or node.options.retain_on_delete


def _is_of(release: Node, crds: Node) -> bool:
    chart = str(release.inputs["chart"]).rpartition("/")[2]
    return (chart, release.inputs["version"]) == (crds.inputs["of"], crds.inputs["version"])


def _is_cloud(node: Node) -> bool:
    return (
        node.custom
        and node.package not in ("kubernetes", "pulumi", "pulumi-python")
        and (not node.type.startswith(PROVIDER_PREFIX))
    )


def _secret(node: Node) -> str:
    if node.type == RELEASE:
        return f"values of the release {Chart(node, brings_crds=False).name}"
    document = object_of(node)
    place = "/".join(filter(None, (document["metadata"].get("namespace"), document["metadata"]["name"])))
    return f"{document['kind']} {place}"


def _holds_secret(node: Node) -> bool:
    return MASK in json.dumps(node.inputs)
