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
    build = typed(manifest["kind"]) or _core(manifest["apiVersion"], manifest["kind"])
    if build is not None:
        named = {_snake(key): value for key, value in manifest.items() if key not in ("apiVersion", "kind")}
        return build(title, **named, opts=opts)
    arguments = {("api_version" if key == "apiVersion" else key): value for key, value in manifest.items()}
    return k8s.apiextensions.CustomResource(title, **arguments, opts=opts)


def _core(version: str, kind: str) -> Callable[..., pulumi.Resource] | None:
    return getattr(k8s.core.v1, kind, None) if version == "v1" else None


def _snake(key: str) -> str:
    """As the SDK names an argument: `roleRef` is `role_ref`."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)


def declare_policies(manifests: Iterable[Mapping[str, Any]], parent: pulumi.Resource) -> None:
    """Admission policies and their bindings, which have the same names."""
    for manifest in manifests:
        bound = "-binding" if manifest["kind"] == BINDING else ""
        declare(f"{manifest['metadata']['name']}{bound}", manifest, pulumi.ResourceOptions(parent=parent))


TYPED: Mapping[str, tuple[str, str]] = {
    "ClusterRoleBinding": ("rbac", "v1"),
    "ConfigMap": ("core", "v1"),
    "Deployment": ("apps", "v1"),
    "HorizontalPodAutoscaler": ("autoscaling", "v2"),
    "Ingress": ("networking", "v1"),
    "PodDisruptionBudget": ("policy", "v1"),
    "Role": ("rbac", "v1"),
    "RoleBinding": ("rbac", "v1"),
    "Secret": ("core", "v1"),
    "Service": ("core", "v1"),
    "ServiceAccount": ("core", "v1"),
}
"""The SDK's module of each kind."""


def typed(kind: str) -> Callable[..., pulumi.Resource] | None:
    """The SDK's class for a kind of Kubernetes itself; looked up only when asked, as each brings a large module."""
    if kind not in TYPED:
        return None
    group, version = TYPED[kind]
    return getattr(getattr(getattr(k8s, group), version), kind)
