"""A plan as a deployment file, version 3: what `pulumi policy analyze --file` reads.

Secrets are masked, and the default providers that the engine would make are added. Registration order already puts
each resource after all that it refers to.
"""

from typing import Any

from .graph import PROVIDER_PREFIX, Graph, Node

# The engine writes when the state was made; the text of a plan must not change with the clock.
MANIFEST = {"time": "2026-01-01T00:00:00Z", "magic": "", "version": ""}
DEFAULT_ID = "default-id"


def deployment(graph: Graph) -> dict[str, Any]:
    """The file's content."""
    packages = dict.fromkeys(node.package for node in graph.resources if node.has_default_provider)
    defaults = [_default_provider(graph, package) for package in packages]
    stack, *others = (_state(graph, node) for node in graph.nodes)
    return {"version": 3, "deployment": {"manifest": MANIFEST, "resources": [stack, *defaults, *others]}}


def _state(graph: Graph, node: Node) -> dict[str, Any]:
    state: dict[str, Any] = {"urn": node.urn, "custom": node.custom, "type": node.type}
    state |= {"inputs": node.inputs, "outputs": node.outputs or {}}
    if node.custom:
        state["id"] = node.id or "unknown"
        default = f"{_default_urn(graph, node.package)}::{DEFAULT_ID}"
        provider = default if node.has_default_provider else node.provider
        state |= {"provider": provider} if provider else {}
    optional = {
        "parent": node.parent,
        "external": node.read,
        "dependencies": list(node.dependencies),
        "propertyDependencies": {key: list(urns) for key, urns in node.property_dependencies.items()},
        "protect": node.options.protect,
        "retainOnDelete": node.options.retain_on_delete,
    }
    return state | {key: value for key, value in optional.items() if value}


def _default_urn(graph: Graph, package: str) -> str:
    return f"urn:pulumi:{graph.stack}::{graph.project}::{PROVIDER_PREFIX}{package}::default"


def _default_provider(graph: Graph, package: str) -> dict[str, Any]:
    identity = {"urn": _default_urn(graph, package), "custom": True, "id": DEFAULT_ID}
    return {**identity, "type": f"{PROVIDER_PREFIX}{package}", "inputs": {}, "outputs": {}}
