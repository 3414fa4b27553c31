"""Which kustomization of a controller without a chart is the cluster's: with the gang flag, or without."""

from dataclasses import replace

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.facts import Facts
from bedplate.components.kustomization import Manifests


def controller(
    manifests: Manifests, version: str, facts: Facts, opts: pulumi.ResourceOptions
) -> k8s.kustomize.v2.Directory:
    """Apply the controller's manifests of that release, each in a folder of its name."""
    release = variant(version, facts)
    return replace(manifests, version=release, folder=manifests.folder / release).apply(facts.charts, opts)


def variant(version: str, facts: Facts) -> str:
    """The release, with the gang flag if Volcano is there.

    Kueue suspends whole jobs and KAI groups their pods by itself, so neither wants a flag.
    """
    return f"{version}-volcano" if facts.scheduler.kind == "volcano" else version
