"""The Kubernetes objects of a plan, as `kubectl apply` takes them.

Helm releases and kustomizations are not here: what they hold is known only to whoever renders them. Patches are not
here either: they are gates or touch objects of somebody else. Values of Secrets are masked, so those need setting.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .answers import RELEASE
from .graph import Graph, Node
from .summary import BUNDLES
from .to_yaml import to_yaml


@dataclass(frozen=True)
class Manifest:
    """One object and the name of its file."""

    file: str
    document: Mapping[str, Any]

    def text(self) -> str:
        """The file's content."""
        return to_yaml(dict(self.document))


def manifests(graph: Graph) -> Iterator[Manifest]:
    """Every object that the program itself declares, in the order of the program."""
    width = max(3, len(str(len(graph.nodes))))
    for node in filter(is_object, graph.resources):
        document = object_of(node)
        name = f"{node.seq:0{width}}-{document['kind']}-{document['metadata']['name']}".lower()
        yield Manifest("".join(char if char.isalnum() or char in "-." else "-" for char in name) + ".yaml", document)


def is_object(node: Node) -> bool:
    """Whether it is an object that the program itself makes."""
    is_kubernetes = node.type.startswith("kubernetes:") and node.type not in {RELEASE, *BUNDLES}
    return is_kubernetes and node.custom and not node.read and not is_patch(node)


def is_patch(node: Node) -> bool:
    """Whether it only touches an object that something else owns."""
    return node.kind == f"{node.inputs.get('kind')}Patch"


def object_of(node: Node) -> dict[str, Any]:
    """As `kubectl apply` takes it."""
    inputs = dict(node.inputs)
    head = {"apiVersion": inputs.pop("apiVersion"), "kind": inputs.pop("kind")}
    metadata = _metadata(node, inputs.pop("metadata", None) or {})
    if node.type == "kubernetes:core/v1:Secret" and "data" in inputs:  # a mask is no base64
        inputs["stringData"] = {**inputs.pop("data"), **inputs.get("stringData", {})}
    return {**head, "metadata": metadata, **inputs}


def _metadata(node: Node, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """What Pulumi's own annotations ask of the provider means nothing to kubectl."""
    kept: dict[str, Any] = {"name": node.name, **metadata}
    annotations: Mapping[str, Any] = kept.pop("annotations", None) or {}
    ours = {key: value for key, value in annotations.items() if not key.startswith("pulumi.com/")}
    return {**kept, "annotations": ours} if ours else kept
