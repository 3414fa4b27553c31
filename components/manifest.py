"""A manifest, as a job or a server renders it, as a resource of the stack."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

BINDING = "ValidatingAdmissionPolicyBinding"


def declare(title: str, manifest: Mapping[str, Any], opts: pulumi.ResourceOptions) -> pulumi.Resource:
    """The typed resource of a kind of Kubernetes itself, or a custom one.

    A core kind has no group, so the engine refuses it as a custom resource, where the SDK does not.
    """
    build = typed(manifest["kind"])
    if build is not None:
        named = {key: value for key, value in manifest.items() if key not in ("apiVersion", "kind")}
        return build(title, **named, opts=opts)
    arguments = {("api_version" if key == "apiVersion" else key): value for key, value in manifest.items()}
    return k8s.apiextensions.CustomResource(title, **arguments, opts=opts)


def declare_policies(manifests: Iterable[Mapping[str, Any]], parent: pulumi.Resource) -> None:
    """Admission policies and their bindings, which have the same names."""
    for one in manifests:
        bound = "-binding" if one["kind"] == BINDING else ""
        declare(f"{one['metadata']['name']}{bound}", one, pulumi.ResourceOptions(parent=parent))


def typed(kind: str) -> Callable[..., pulumi.Resource] | None:
    """The SDK's class for a kind of Kubernetes itself; looked up only when asked, as each brings a large module."""
    match kind:
        case "Deployment":
            return k8s.apps.v1.Deployment
        case "Service":
            return k8s.core.v1.Service
        case "PodDisruptionBudget":
            return k8s.policy.v1.PodDisruptionBudget
        case "HorizontalPodAutoscaler":
            return k8s.autoscaling.v2.HorizontalPodAutoscaler
        case "Ingress":
            return k8s.networking.v1.Ingress
        case _:
            return None
