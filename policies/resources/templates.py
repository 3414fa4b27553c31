"""Pod templates in kinds of other projects: by the paths of their schemas, else wherever one seems to stand.

Whatever such an object does not say, its operator or its base may: it is unknown, never absent.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.paths import Place, places, rows
from bedplate.policies.resources.pod import Pod
from bedplate.policies.values import UNKNOWN, Tree, dig, integer, is_list, is_map, text, tree, trees

NO_PODS = {
    *("apiextensions.k8s.io", "admissionregistration.k8s.io", "kyverno.io", "constraints.gatekeeper.sh"),
    *("templates.gatekeeper.sh", "kustomize.config.k8s.io", "rbac.authorization.k8s.io", "helm.toolkit.fluxcd.io"),
    *("networking.k8s.io", "autoscaling", "policy", "storage.k8s.io"),
}
"""API groups whose objects hold patterns, addresses or rules that look like pods and are none."""
PLAIN = {"core", "apps", "batch"}
"""Kubernetes' own groups: where their objects have pods, we read them by kind."""
SERVED = (
    *("image", "env", "args", "command", "runtime", "modelFormat", "storageUri", "containerConcurrency"),
    *("livenessProbe", "readinessProbe", "startupProbe"),
)
"""What beside `resources` tells a container that an operator calls otherwise (a KServe predictor's model)."""


@dataclass(frozen=True)
class Open(Mapping[str, object]):
    """A section to which somebody adds what we do not see: an absent key is unknown."""

    known: Tree

    def __getitem__(self, key: str) -> object:
        """What is said, or that it may be said elsewhere."""
        return self.known.get(key, UNKNOWN)

    def __iter__(self) -> Iterator[str]:
        """What is said."""
        return iter(self.known)

    def __len__(self) -> int:
        """How much is said."""
        return len(self.known)

    def __contains__(self, key: object) -> bool:
        """Whether it is said here."""
        return key in self.known

    def get(self, key: str, default: object = None) -> object:  # pyright: ignore[reportIncompatibleMethodOverride]
        """As by index: a default would be a claim."""
        del default
        return self[key]


def opened(spec: Tree) -> Tree:
    """A pod spec of which only what it says is known."""
    lists = {
        key: [Open(each) for each in trees(spec.get(key))]
        for key in ("containers", "initContainers", "ephemeralContainers")
        if is_list(spec.get(key))
    }
    return Open({**spec, **lists})


def is_patch(resource: Resource, spec: Tree) -> bool:
    """Whether a manifest only changes another one: a whole one names each container's image."""
    containers = trees(spec.get("containers"))
    return bool(resource.file) and not (containers and all("image" in container for container in containers))


def found_in(resource: Resource) -> Iterator[Pod]:
    """Every pod of an object that an operator completes: at the paths of its kind, else wherever one seems to be."""
    if (resource.group, resource.kind) in rows():
        yield from declared(resource, completed=True)
    elif resource.group not in NO_PODS | PLAIN and resource.type.startswith("kubernetes:"):
        yield from _below(resource, resource.spec, "")


def declared(resource: Resource, *, completed: bool = False) -> Iterator[Pod]:
    """The pods at the paths of a kind; where an operator has `completed` them, only what is said is known."""
    for place in places(resource):
        node = tree(place.node)
        template = node if is_map(node.get("spec")) else {"spec": _spec(node, place)}
        replicas = place.replicas if place.counts or not completed else UNKNOWN
        yield from templated(resource, template, place.role, replicas, completed=completed)


def templated(
    resource: Resource, template: object, role: str = "", replicas: object = 1, *, completed: bool = False
) -> Iterator[Pod]:
    """The pod of a template, where there is one."""
    if spec := tree(dig(template, "spec")):
        more = completed or is_patch(resource, spec)
        metadata = tree(dig(template, "metadata"))
        yield Pod(resource, opened(spec) if more else spec, metadata, role, replicas, completed=more)


def _spec(node: Tree, place: Place) -> Tree:
    """A pod spec as it stands, with its containers of other names, or a container alone."""
    main = [{**tree(node[key]), "name": key} for key in place.main if is_map(node.get(key))]
    if main:
        return {**node, "containers": [*main, *trees(node.get("containers"))]}
    return node if "containers" in node else _as_spec(node, place.role) or {}


def _below(resource: Resource, node: object, role: str, above: Tree | None = None) -> Iterator[Pod]:
    for item in trees(node) if is_list(node) else ():
        yield from _below(resource, item, text(item.get("name")) or role, above)
    if not is_map(node):
        return
    if spec := _as_spec(node, role):
        own = above is not None and above.get("spec") is node
        metadata = tree(dig(above, "metadata") if own else None)
        yield Pod(resource, opened(spec), metadata, role, _count(node, above), completed=True)
        return
    for key, below in node.items():
        yield from _below(resource, below, role if key in {"spec", "template", "podSpec"} else str(key), node)


def _as_spec(node: Tree, role: str) -> Tree | None:
    """A mapping as a pod spec, where it is one or stands for its only container."""
    if named := [each for each in trees(node.get("containers")) if text(each.get("name"))]:
        return node if len(named) == len(trees(node.get("containers"))) else None
    if is_map(node.get("container")) and dig(node, "container", "image"):
        return {"containers": [{"name": role, **tree(node.get("container"))}]}
    main = tree(dig(node, "extraPodSpec", "mainContainer"))
    if main or (is_map(node.get("resources")) and any(key in node for key in SERVED)):
        container = {**{key: node[key] for key in (*SERVED, "resources") if key in node}, **main}
        return {**tree(node.get("extraPodSpec")), "containers": [{"name": role or "main", **_with_gpus(container)}]}
    return None


def _with_gpus(container: Tree) -> Tree:
    """Dynamo writes `gpu: "1"` where Kubernetes has nvidia.com/gpu."""
    resources = tree(container.get("resources"))
    parts = {
        part: {("nvidia.com/gpu" if key == "gpu" else key): value for key, value in tree(resources[part]).items()}
        for part in ("limits", "requests")
        if is_map(resources.get(part))
    }
    return {**container, "resources": {**resources, **parts}} if parts else container


def _count(node: Tree, above: Tree | None) -> object:
    counts = [integer(dig(each, "replicas")) for each in (node, above) if each is not None]
    return next((count for count in counts if count is not None), UNKNOWN)
