"""A resource as the rules see it: the same from a Pulumi program, a preview or a manifest in a folder."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from bedplate.policies.values import Tree, dig, text, tree

PROVIDERS = {"kubernetes", "aws", "aws-native", "gcp", "google-native", "azure", "azure-native", "oci"}
"""Packages whose resources are judged: components only group them, under names of their own."""
RELEASE = "kubernetes:helm.sh/v3:Release"
CHART = "kubernetes:helm.sh/v4:Chart"


@dataclass(frozen=True)
class Resource:
    """One declared resource: its inputs as plain values, with UNKNOWN for what a preview cannot know."""

    type: str
    """Pulumi's type token, for example `kubernetes:apps/v1:Deployment`."""
    name: str
    """The name in the program, or the object's own name in a manifest."""
    urn: str
    """What tells it from every other resource: a URN, or file, kind and name."""
    props: Tree
    """Inputs, in the provider's own spelling."""
    parent: str = ""
    """The URN of the component it belongs to."""
    dependencies: tuple[str, ...] = ()
    """URNs it waits for."""
    options: Tree = field(default_factory=dict[str, object])
    """Resource options by their wire names, as far as the caller has them."""
    file: str = ""
    """The manifest it stands in, if it comes from one."""
    unsure: bool = False
    """Whether a kustomization that was not rendered, or a program, may change it before it is applied."""
    twice: tuple[str, ...] = ()
    """Keys that stand twice in one mapping of its document."""

    @cached_property
    def misfits(self) -> dict[str | None, Any]:
        """What does not fit its schema, by the release of Kubernetes: filled by the first rule that asks."""
        return {}

    @cached_property
    def kind(self) -> str:
        """The last part of the type: PyTorchJob, LaunchTemplate."""
        return self.type.rsplit(":", 1)[-1]

    @cached_property
    def judged(self) -> bool:
        """Whether it is a resource of a provider, not a component around some."""
        return self.type.split(":")[0] in PROVIDERS

    @cached_property
    def group(self) -> str:
        """The API group of a Kubernetes object, without its version: `kubeflow.org`, `batch`, `core`."""
        return self.type.split(":")[1].split("/")[0] if self.type.startswith("kubernetes:") else ""

    @cached_property
    def api_version(self) -> str:
        """The API version of a Kubernetes object: `kueue.x-k8s.io/v1beta2`."""
        return self.type.split(":")[1] if self.type.startswith("kubernetes:") else ""

    @cached_property
    def metadata(self) -> Tree:
        """Name, namespace, labels and annotations of a Kubernetes object."""
        return tree(self.props.get("metadata"))

    @cached_property
    def object_name(self) -> str:
        """The name in the cluster or cloud, as far as it is fixed."""
        return text(self.metadata.get("name")) or text(self.props.get("name")) or self.name

    @cached_property
    def namespace(self) -> str:
        """The namespace, `default` where none is named and empty where it is not known."""
        namespace = (self.metadata if "metadata" in self.props else self.props).get("namespace")
        return text(namespace) if namespace is not None else "default"

    @cached_property
    def placed(self) -> bool:
        """Whether it says its namespace itself, rather than leave that to whoever applies it."""
        return bool(text(self.metadata.get("namespace")))

    @cached_property
    def cluster_wide(self) -> bool:
        """Whether it has no namespace: kinds with a namespaced sibling say so by their name."""
        return self.kind.startswith("Cluster")

    @cached_property
    def labels(self) -> Tree:
        """Labels of the object itself."""
        return tree(self.metadata.get("labels"))

    @cached_property
    def annotations(self) -> Tree:
        """Annotations of the object itself."""
        return tree(self.metadata.get("annotations"))

    @cached_property
    def spec(self) -> Tree:
        """The desired state of a Kubernetes object."""
        return tree(self.props.get("spec"))

    def at(self, *path: str) -> object:
        """The value at `path` of the inputs: None where absent, UNKNOWN where not known."""
        return dig(self.props, *path)

    @cached_property
    def title(self) -> str:
        """What a message calls it: `PyTorchJob training/llama`, `LaunchTemplate p5`."""
        place = f"{self.namespace}/" if self.type.startswith("kubernetes:") and self._namespaced else ""
        return f"{self.kind} {place}{self.object_name}"

    @property
    def _namespaced(self) -> bool:
        return bool(self.metadata.get("namespace") or self.props.get("namespace"))
