"""The providers of the one cluster that the profile names, and the refusal of any other."""

import os
from pathlib import Path

import pulumi
import pulumi_kubernetes as k8s
import yaml

from stacks.profile.cloud import cloud_provider
from stacks.profile.problem import Problem, ProfileError
from stacks.profile.profile import Profile


def providers(profile: Profile) -> list[pulumi.ProviderResource]:
    """Kubernetes, unless this stack makes the cluster itself, and the cloud where this stack makes nodes."""
    needed: list[pulumi.ProviderResource] = [] if profile.makes_cluster else [provider(profile)]
    if section := profile.own_cloud:
        needed.append(cloud_provider(profile.name, section))
    return needed


def provider(profile: Profile) -> k8s.Provider:
    """A provider bound to the profile's context; only the cluster's identity, not a new kubeconfig, replaces it."""
    current = current_context()
    if current is not None and current != profile.context:
        reason = f"the kubeconfig's current context is {current}"
        fix = f"run `kubectl config use-context {profile.context}`, or correct the profile"
        raise ProfileError([Problem("context", profile.context, reason, fix)])
    return k8s.Provider("cluster", context=profile.context, cluster_identifier=profile.name)


def current_context() -> str | None:
    """Of the kubeconfig that the provider would read; None where there is none, as in an offline plan."""
    for path in _kubeconfigs():
        if path.is_file() and (config := yaml.safe_load(path.read_text())):
            return config.get("current-context")
    return None


def _kubeconfigs() -> list[Path]:
    if paths := os.environ.get("KUBECONFIG"):
        return [Path(path) for path in paths.split(os.pathsep) if path]
    return [Path.home() / ".kube" / "config"]
