"""Custom resources against the CRDs of the pinned releases, strictly: a field that the API server would prune is a fault."""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator

from tests.upstream import upstream

BESIDE = Path(__file__).with_name("schemas.yaml")
OPEN = "x-kubernetes-preserve-unknown-fields"
Schema = dict[str, Any]


def faults(manifest: Mapping[str, Any]) -> list[str]:
    """What the API server would refuse or drop in a custom resource; fails for a kind that no CRD here defines."""
    validator = validators()[manifest["apiVersion"], manifest["kind"]]
    errors = validator.iter_errors({key: value for key, value in manifest.items() if key != "metadata"})
    return [f"{manifest['kind']} {error.json_path}: {error.message[:200]}" for error in errors]


def is_custom(manifest: Mapping[str, Any]) -> bool:
    """The kind belongs to an API group that is neither Kubernetes' own nor the managed service's."""
    group, _, version = manifest["apiVersion"].rpartition("/")
    if group in SERVICE_GROUPS:
        return False
    return (bool(version) and "." in group and not group.endswith(".k8s.io")) or group in OUTSIDE_GROUPS


SERVICE_GROUPS = {"networking.gke.io", "cloud.google.com"}
"""Groups that a managed Kubernetes brings itself, whose CRDs nobody publishes."""
OUTSIDE_GROUPS = {
    "nfd.k8s-sigs.io",
    "k8s.cni.cncf.io",
    "kueue.x-k8s.io",
    "jobset.x-k8s.io",
    "leaderworkerset.x-k8s.io",
    "inference.networking.k8s.io",
}
"""Groups of projects beside Kubernetes that share its domain."""


@cache
def validators() -> dict[tuple[str, str], Draft202012Validator]:
    """A validator for every served version of every CRD."""
    found: dict[tuple[str, str], Draft202012Validator] = {}
    for path in sorted(upstream("crds").glob("*/*.yaml")):
        spec = yaml.load(path.read_text(), yaml.CSafeLoader)["spec"]
        for version in spec["versions"]:
            key = (f"{spec['group']}/{version['name']}", spec["names"]["kind"])
            found[key] = Draft202012Validator(closed(version["schema"]["openAPIV3Schema"], top=True))
    for one in yaml.safe_load(BESIDE.read_text()):
        schema = {key: one[key] for key in ("properties", "required") if key in one}
        found.setdefault((one["apiVersion"], one["kind"]), Draft202012Validator(closed(schema, top=True)))
    more = {NODE_POLICY: _node_policy(found[CLUSTER_POLICY].schema), COMPUTE_DOMAIN: _compute_domain()}
    return found | {key: Draft202012Validator(schema) for key, schema in more.items()}


CLUSTER_POLICY, NODE_POLICY = (("mellanox.com/v1alpha1", kind) for kind in ("NicClusterPolicy", "NicNodePolicy"))
COMPUTE_DOMAIN = ("resource.nvidia.com/v1beta1", "ComputeDomain")
SHARED_PARTS = ("ofedDriver", "rdmaSharedDevicePlugin", "sriovDevicePlugin", "tolerations")


def _node_policy(cluster: Any) -> Schema:
    """NicNodePolicy, which the upstream data lacks: parts of NicClusterPolicy's types, and labels of nodes.

    (Mellanox/network-operator api/v1alpha1/nicnodepolicy_types.go at v26.4.1)
    """
    parts = {name: cluster["properties"]["spec"]["properties"][name] for name in SHARED_PARTS}
    labels = {"type": "object", "additionalProperties": {"type": "string"}}
    spec = {"type": "object", "properties": {**parts, "nodeSelector": labels}, "additionalProperties": False}
    return {"type": "object", "properties": {"apiVersion": {}, "kind": {}, "metadata": {}, "spec": spec}}


def closed(schema: Schema, *, top: bool = False) -> Schema:
    """The schema, with unknown fields refused wherever the API server would prune them."""
    result = {key: value for key, value in schema.items() if key not in ("format", "nullable", "default")}
    if schema.get("x-kubernetes-int-or-string"):
        return {"type": ["integer", "string"]}
    if schema.get("nullable") and "type" in schema:
        result["type"] = [schema["type"], "null"]
    if "(?i)" in (pattern := schema.get("pattern", "")):  # Go takes the flag anywhere, Python only at the start
        result["pattern"] = f"(?i){pattern.replace('(?i)', '')}"
    result |= dict(_closed_parts(schema))
    if "properties" in schema and not schema.get(OPEN) and "additionalProperties" not in schema:
        result["additionalProperties"] = False
    if top:
        result["properties"] = {"apiVersion": {}, "kind": {}, **result.get("properties", {})}
    return result


def _closed_parts(schema: Schema) -> Iterator[tuple[str, Any]]:
    if "properties" in schema:
        yield "properties", {key: closed(value) for key, value in schema["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield key, closed(schema[key])


def _compute_domain() -> Schema:
    """ComputeDomain, which the upstream data lacks (NVIDIA/k8s-dra-driver-gpu api/.../v1beta1 at v25.8.1)."""
    template = _object({"name": {"type": "string"}}, "name")
    channel = _object(
        {"resourceClaimTemplate": template, "allocationMode": {"enum": ["All", "Single"]}}, "resourceClaimTemplate"
    )
    spec = _object({"numNodes": {"type": "integer"}, "channel": channel}, "numNodes", "channel")
    return {"type": "object", "properties": {"apiVersion": {}, "kind": {}, "metadata": {}, "spec": spec}}


def _object(properties: Schema, *required: str) -> Schema:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}
