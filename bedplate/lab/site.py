"""What a profile finds on its cluster: nodes of its pools, and what it says the site has already. Pure."""

from collections.abc import Iterator
from typing import Any

from bedplate.components.facts import Existing
from bedplate.components.storage.drivers import provisioner
from bedplate.lab.nodes import nodes
from bedplate.lab.stages import definition
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.profile.profile import Profile

PROVISIONER = "site.lab.bedplate"
"""Of classes that are there already; the lab binds their claims as it binds all."""


def site(profile: Profile) -> Iterator[dict[str, Any]]:
    """Every object, as `kubectl apply` takes it; the lab binds the claims of any class."""
    mounts = drivers(profile)
    for node in nodes(profile):
        yield node
        if mounts:
            yield _plugged(node["metadata"]["name"], mounts)
    for existing in facts(profile).existing:
        if existing.namespace:  # which `up` takes over: its objects are applied on the server's side
            yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": existing.namespace}}
        yield _given(existing)


def drivers(profile: Profile) -> list[str]:
    """CSI drivers that every node would have: the profile's, and that of the site's own classes."""
    there = facts(profile).existing
    ours = [provisioner(profile.storage.driver)] if profile.storage and profile.storage.driver else []
    return [*ours, *([PROVISIONER] if any(existing.kind == "StorageClass" for existing in there) else [])]


def _plugged(node: str, names: list[str]) -> dict[str, Any]:
    """What a kubelet says of its drivers; Volcano counts volumes by it, and places no pod with one of an unknown."""
    spec = {"drivers": [{"name": name, "nodeID": node, "topologyKeys": None} for name in names]}
    return {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": node}, "spec": spec}


def _given(existing: Existing) -> dict[str, Any]:
    metadata = {"name": existing.name}
    match existing.kind:
        case "StorageClass":
            made = {"provisioner": PROVISIONER, "volumeBindingMode": "Immediate"}
            return {"apiVersion": "storage.k8s.io/v1", "kind": existing.kind, "metadata": metadata, **made}
        case "CSIDriver":
            return {"apiVersion": "storage.k8s.io/v1", "kind": existing.kind, "metadata": metadata, "spec": {}}
        case "Namespace":
            return {"apiVersion": "v1", "kind": existing.kind, "metadata": metadata}
        case "ServiceAccount":
            return {
                "apiVersion": "v1",
                "kind": existing.kind,
                "metadata": {**metadata, "namespace": existing.namespace},
            }
        case "CustomResourceDefinition":
            plural, _, group = existing.name.partition(".")
            return definition(group, existing.serves, plural=plural)
