"""What a profile finds on its cluster: nodes of its pools, and what it says the site has already. Pure."""

from collections.abc import Iterator
from typing import Any

from components.facts import Existing
from lab.nodes import nodes
from lab.stages.definitions import definition
from stacks.facts.derive import facts
from stacks.profile.profile import Profile


def site(profile: Profile) -> Iterator[dict[str, Any]]:
    """Every object, as `kubectl apply` takes it; the lab binds the claims of any class."""
    yield from nodes(profile)
    yield from map(_given, facts(profile).existing)


def _given(one: Existing) -> dict[str, Any]:
    metadata = {"name": one.name}
    match one.kind:
        case "StorageClass":
            made = {"provisioner": "site.lab.bedplate", "volumeBindingMode": "Immediate"}
            return {"apiVersion": "storage.k8s.io/v1", "kind": one.kind, "metadata": metadata, **made}
        case "CSIDriver":
            return {"apiVersion": "storage.k8s.io/v1", "kind": one.kind, "metadata": metadata, "spec": {}}
        case "Namespace":
            return {"apiVersion": "v1", "kind": one.kind, "metadata": metadata}
        case "CustomResourceDefinition":
            return definition(one.name.partition(".")[2], one.serves)
