"""What a plan says in brief: the mapping behind `--json`, `releases.json` and the last lines of the tree."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, cast

from .answers import KUSTOMIZATION, RELEASE, described
from .graph import PROVIDER_PREFIX, Graph, Node

WAIT_FOR = "pulumi.com/waitFor"
NODES_PROOF = "pulumi-python:dynamic/verification:NodesProof"
"""The gate that looks at nodes itself (components/verification/proof.py)."""
TIMEOUT_SECONDS = "pulumi.com/timeoutSeconds"

BORDERS = (
    "a CNI that keeps NetworkPolicies, or teams reach each other and the nodes' own credentials; on nodes of your own "
    "a metadata service that answers no pod besides (EKS: tokens and a hop limit of 1; GKE: GKE_METADATA). `bedplate "
    "preflight`, `bedplate doctor` and `bedplate verify --level full` look"
)
RUNTIME = (
    "a container runtime that shows no GPU to who only names one: where NVIDIA's is the default of nodes of your own, "
    "accept-nvidia-visible-devices-envvar-when-unprivileged = false (docs/security.md#gpus-unasked). `bedplate verify "
    "--level full` looks"
)
PARTITIONS = (
    "an InfiniBand subnet whose OpenSM partitions have defmember=full: virtual functions are limited members "
    "otherwise, which do not reach each other (docs/hosts.md)"
)
NEEDS = {"NetworkPolicy": (BORDERS, RUNTIME), "SriovIBNetwork": (PARTITIONS,)}
"""What a kind relies on that no object of the plan can bring about."""

# Where each kind of remote bundle keeps its source. The provider expands it on `up`; a plan cannot look inside.
BUNDLES = {
    KUSTOMIZATION: "directory",
    "kubernetes:yaml/v2:ConfigFile": "file",
    "kubernetes:yaml/v2:ConfigGroup": "files",
}


def resources(graph: Graph) -> list[dict[str, Any]]:
    """Every resource in the order of the program, as in `graph.json`."""
    keys = ("urn", "type", "name", "parent", "dependencies", "provider", "inputs")
    return [{key: getattr(node, key) for key in keys} for node in graph.resources]


def releases(graph: Graph) -> list[dict[str, Any]]:
    """Every Helm release in the order of the program, as in `releases.json`."""
    return [_release(node) for node in graph.resources if node.type == RELEASE]


def _release(node: Node) -> dict[str, Any]:
    inputs = node.inputs
    repository: Mapping[str, Any] = inputs.get("repositoryOpts") or {}
    return {
        "name": inputs.get("name", node.name),
        "chart": inputs.get("chart"),
        "version": inputs.get("version"),
        "repo": repository.get("repo"),
        "namespace": inputs.get("namespace"),
    }


def gates(graph: Graph) -> list[dict[str, Any]]:
    """Every resource that is done only when a status says so."""
    return [
        {"name": node.name, "kind": node.kind.removesuffix("Patch"), "waitFor": wait, "timeout": timeout_of(node)}
        for node in graph.resources
        if (wait := waits_for_status(node))
    ]


def waits_for_status(node: Node) -> str:
    """The condition that a gate waits for, or nothing."""
    if node.type == NODES_PROOF:
        return "; ".join(_whole(pool) for pool in cast("list[dict[str, Any]]", node.inputs["pools"]))
    return str(_annotations(node).get(WAIT_FOR, ""))


def _whole(pool: Mapping[str, Any]) -> str:
    """A pool's nodes in one phrase; the engine's numbers are all floats."""
    parts = ", ".join(f"{count} {name}" for name, count in pool["each"].items())
    return f"{int(pool['required'])} of {int(pool['nodes'])} nodes of {pool['name']} with {parts}"


def timeout_of(node: Node) -> str | None:
    """How long a gate waits before it fails."""
    if node.type == NODES_PROOF:
        return f"{int(node.inputs['timeout'])}s"
    seconds = _annotations(node).get(TIMEOUT_SECONDS)
    return node.options.timeouts.get("create") or (f"{seconds}s" if seconds else None)


def _annotations(node: Node) -> Mapping[str, Any]:
    metadata: Any = node.inputs.get("metadata")
    return cast("dict[str, Any]", metadata).get("annotations") or {} if isinstance(metadata, dict) else {}


def bundles(graph: Graph) -> Iterator[dict[str, Any]]:
    """Every kustomization or YAML file that the provider expands."""
    for node in graph.resources:
        if node.type in BUNDLES:
            yield {"name": node.name, "source": node.inputs.get(BUNDLES[node.type])}


def counts(graph: Graph) -> dict[str, int]:
    """How many of each kind, the most frequent first; components and providers are not counted."""
    counted = (node for node in graph.resources if node.custom or node.type in BUNDLES)
    kinds = Counter(node.kind for node in counted if not node.type.startswith(PROVIDER_PREFIX))
    return dict(sorted(kinds.items(), key=lambda item: (-item[1], item[0])))


def needs(graph: Graph) -> list[str]:
    """What the cluster must have beside all this."""
    kinds = {node.kind for node in graph.resources}
    return [text for kind, texts in NEEDS.items() if kind in kinds for text in texts]


def summary(graph: Graph) -> dict[str, Any]:
    """All of it."""
    return {
        "stack": graph.stack,
        "resources": resources(graph),
        "releases": releases(graph),
        "kustomize": list(bundles(graph)),
        "gates": gates(graph),
        "counts": counts(graph),
        "secrets": [*graph.missing_secrets, *_held_elsewhere(graph)],
        **_judged(graph),
        "lookups": sorted({described(token, arguments) for token, arguments in graph.invokes} | set(_read(graph))),
        "needs": needs(graph),
        "warnings": [text for severity, text in graph.logs if severity == "WARNING"],
    }


def _read(graph: Graph) -> Iterator[str]:
    """Service accounts of others, `ServiceAccount research/reader`: what the plan cannot know is their rights."""
    return (f"{node.kind} {node.id}" for node in graph.resources if node.read and node.kind == "ServiceAccount")


def _held_elsewhere(graph: Graph) -> Iterator[str]:
    """Secrets that servers name, and that neither profile nor state ever holds."""
    for server in (graph.profile or {}).get("serving", {}).get("servers", ()):
        if name := server.get("weights", {}).get("secretName"):
            yield f"Secret {server['namespace']}/{name} in the cluster"


def _judged(graph: Graph) -> dict[str, Any]:
    """What needs the profile: a plan of any other program has neither size nor verdicts."""
    if graph.profile is None:
        return {"sizing": {}, "verdicts": [], "advisories": [], "unread": []}
    from .proven import advisories, unread  # noqa: PLC0415
    from .sizing import sizing  # noqa: PLC0415 - another project's program must not pay for our stacks and rules
    from .verdicts import verdicts  # noqa: PLC0415

    charts = releases(graph)
    return {
        "sizing": sizing(graph.profile),
        "verdicts": verdicts(graph, graph.profile),
        "advisories": advisories(graph, charts),
        "unread": unread(graph, charts),
    }
