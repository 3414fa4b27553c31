"""Manifests of projects without a chart: a kustomization of ours over a pinned upstream ref, or the mirror's copy."""

from pathlib import Path

import pulumi
import pulumi_kubernetes as k8s

from components.facts import ChartSource

ROOT = Path(__file__).parents[1]


def kustomization(
    name: str, folder: Path, source: ChartSource, version: str, opts: pulumi.ResourceOptions
) -> k8s.kustomize.v2.Directory:
    """Apply the kustomization in `folder`, or the mirror's copy of it."""
    return k8s.kustomize.v2.Directory(name, directory=directory(name, folder, source, version), opts=opts)


def directory(name: str, folder: Path, source: ChartSource, version: str) -> str:
    """Ours, relative to the project; an air-gapped site keeps the built one as `<mirror>/<name>-<version>/`."""
    if source.mirror is None:
        return str(folder.relative_to(ROOT))
    return f"{source.mirror.rstrip('/')}/{name}-{version}"
