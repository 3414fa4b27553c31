"""Whose files hold the CRDs of a chart's release, and how they are had: upstream data, a clone, or Go's module proxy.

None of them is kept in this project. A clone is a bare one, `<owner>+<name>/repo`, and needed only to prove again what
nobody else serves; the module proxy serves those that the cluster tier proves again everywhere.
"""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from bedplate.lab.binaries import find_go
from bedplate.lab.problem import LabError
from bedplate.lab.sources import download
from tests.tools.fetch_upstream import DEFINITION, digest, parsed, read, stripped
from tests.upstream import UPSTREAM

Definitions = dict[str, dict[str, Any]]
"""By name."""


@dataclass(frozen=True)
class Origin:
    """Of one chart."""

    repository: str
    folders: tuple[str, ...]
    """Where a release of it keeps its CRDs; of prometheus-operator-crds, whose are templates, the operator's are read."""
    tag: str = "v{}"
    module: str = ""
    """Whose source has the same files, where the module proxy serves it."""
    inside: str = ""
    """Folder of them in the module; empty: the same as in the repository."""


_PROMETHEUS = Origin(
    "prometheus-community/helm-charts",
    ("charts/kube-prometheus-stack/charts/crds/crds",),
    "kube-prometheus-stack-{}",
    module="github.com/prometheus-operator/prometheus-operator",
    inside="example/prometheus-operator-crd",
)
ORIGINS = {
    "gpu-operator": Origin("NVIDIA/gpu-operator", ("config/crd/bases",), "{}"),
    "network-operator": Origin(
        "Mellanox/network-operator",
        ("deployment/network-operator/crds", "deployment/network-operator/charts/sriov-network-operator/crds"),
    ),
    "kueue": Origin("kubernetes-sigs/kueue", ("config/components/crd/bases",), module="sigs.k8s.io/kueue"),
    "jobset": Origin("kubernetes-sigs/jobset", ("config/components/crd/bases",), module="sigs.k8s.io/jobset"),
    "lws": Origin("kubernetes-sigs/lws", ("config/crd/bases",), module="sigs.k8s.io/lws"),
    "kubeflow-trainer": Origin("kubeflow/trainer", ("manifests/base/crds",), module="github.com/kubeflow/trainer/v2"),
    "kuberay-operator": Origin(
        "ray-project/kuberay",
        ("ray-operator/config/crd/bases",),
        module="github.com/ray-project/kuberay/ray-operator",
        inside="config/crd/bases",
    ),
    "volcano": Origin("volcano-sh/volcano", ("config/crd/volcano/bases", "config/crd/jobflow/bases")),
    "node-feature-discovery": Origin(
        "kubernetes-sigs/node-feature-discovery",
        ("deployment/helm/node-feature-discovery/crds",),
        module="sigs.k8s.io/node-feature-discovery",
    ),
    "prometheus-operator-crds": replace(_PROMETHEUS, folders=()),
    "kube-prometheus-stack": _PROMETHEUS,
}
OPERATORS = {
    ("prometheus-operator-crds", "29.0.0"): "v0.91.0",
    ("prometheus-operator-crds", "30.0.1"): "v0.92.1",
    ("prometheus-operator-crds", "31.0.1"): "v0.93.1",
    ("kube-prometheus-stack", "86.3.2"): "v0.91.0",
    ("kube-prometheus-stack", "87.21.0"): "v0.92.1",
    ("kube-prometheus-stack", "88.5.3"): "v0.93.1",
}
"""`appVersion` of those charts whose number is not their operator's."""
UPSTREAM_NAMES = {"kuberay-operator": "kuberay"}


@cache
def of_clone(chart: str, version: str, clones: Path) -> Definitions:
    """From a clone, as they are at the release's tag."""
    origin = ORIGINS[chart]
    git = ["git", "-C", str(clones / origin.repository.replace("/", "+") / "repo")]
    tag = origin.tag.format(version)
    listed = _output([*git, "ls-tree", "-r", "--name-only", tag, *(f"{folder}/" for folder in origin.folders)])
    texts = (_output([*git, "show", f"{tag}:{path}"]) for path in listed.split() if path.endswith(".yaml"))
    return _definitions(texts)


@cache
def of_module(chart: str, version: str, scratch: Path) -> Definitions:
    """From Go's module proxy; an error says why it cannot be had."""
    origin = ORIGINS[chart]
    release = OPERATORS.get((chart, version)) or f"v{version.removeprefix('v')}"
    root = Path(download(find_go(), origin.module, release, scratch)["Dir"])
    folders = (origin.inside,) if origin.inside else origin.folders
    return _definitions(path.read_text() for folder in folders for path in sorted((root / folder).glob("*.yaml")))


def of_upstream(chart: str, version: str) -> Definitions:
    """From the data beside the project: of our pins, without kinds that no stack has."""
    folder = UPSTREAM / "crds" / f"{UPSTREAM_NAMES.get(chart, chart)}-{version}"
    if not folder.is_dir():
        raise LabError(f"no upstream data of {chart} {version}")
    return {path.stem: read(path) for path in sorted(folder.glob("*.yaml"))}


def of_anyone(chart: str, version: str, scratch: Path) -> Definitions:
    """Without a clone: the module's where it is served, or the upstream data."""
    if ORIGINS[chart].module:
        try:
            return of_module(chart, version, scratch)
        except LabError as why:
            try:
                return of_upstream(chart, version)
            except LabError:
                raise why from None
    return of_upstream(chart, version)


def _definitions(texts: Iterator[str]) -> Definitions:
    """Without lines of templates and descriptions, which no API server needs."""
    return {found.name: found.content for text in texts if DEFINITION in text for found in parsed(text) if found}


def _output(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LabError(done.stderr.strip())
    return done.stdout


def fingerprint(definitions: Definitions) -> dict[str, str]:
    """Of each, what it says."""
    return {name: digest(stripped(one))[:16] for name, one in sorted(definitions.items())}
