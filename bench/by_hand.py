"""What a script would do instead of an engine: the same charts with helm, the same manifests with kubectl.

In the plan's order, one after the other. It waits for no gate and for no server, so it is given less to do.
"""

import os
import subprocess
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import yaml

from bedplate.lab.cluster import Cluster
from bedplate.plan.graph import Graph, Node
from bedplate.plan.manifests import is_object, object_of

LATE = {"IPPool": "crd/ippools.nv-ipam.nvidia.com"}
"""Kinds that an operator makes at run time: a script has to wait for them."""
APPLY = ("apply", "--server-side", "--force-conflicts")


def install(helm: str, cluster: Cluster, planned: Graph, scratch: Path) -> dict[str, int]:
    """Everything; how many of each sort."""
    counts = {"releases": 0, "kustomizations": 0, "manifests": 0}
    for sort, nodes in groupby((node for node in planned.resources if _sort(node)), key=_sort):
        for work in _works(helm, cluster, sort, list(nodes), scratch):
            counts[sort] += work()
    return counts


def _sort(node: Node) -> str:
    if node.kind == "Release":
        return "releases"
    if node.kind == "Directory":
        return "kustomizations"
    return "manifests" if is_object(node) else ""


def _works(helm: str, cluster: Cluster, sort: str, nodes: list[Node], scratch: Path) -> Iterator[Callable[[], int]]:
    match sort:
        case "releases":
            yield from (lambda one=one: _release(helm, cluster, one, scratch) for one in nodes)
        case "kustomizations":
            yield from (lambda one=one: _kustomization(cluster, one) for one in nodes)
        case _:
            yield lambda: _manifests(cluster, [object_of(one) for one in nodes])


def _release(helm: str, cluster: Cluster, release: Node, scratch: Path) -> int:
    values = scratch / f"{release.name}.yaml"
    values.write_text(yaml.safe_dump(dict(release.inputs.get("values") or {})))
    variables = {**os.environ, "KUBECONFIG": str(cluster.kubeconfig)}
    command = helm_command(helm, release, values)
    subprocess.run(command, env=variables, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    return 1


def helm_command(helm: str, release: Node, values: Path) -> list[str]:
    """What a script would run for a release of ours."""
    repository: dict[str, str] = release.inputs.get("repositoryOpts") or {}
    where = ["--repo", repository["repo"]] if repository else []
    place = ["--namespace", release.inputs["namespace"], "--create-namespace", "--values", str(values)]
    version = ["--version", release.inputs["version"]]
    return [helm, "upgrade", "--install", release.name, release.inputs["chart"], *where, *version, *place, "--wait"]


def _kustomization(cluster: Cluster, directory: Node) -> int:
    cluster.kubectl(*APPLY, "-k", directory.inputs["directory"])
    return 1


def _manifests(cluster: Cluster, documents: list[dict[str, Any]]) -> int:
    for late, some in groupby(documents, key=lambda one: LATE.get(one["kind"])):
        if late:
            cluster.kubectl("wait", late, "--for=create", "--timeout=120s")
            cluster.kubectl("wait", late, "--for=condition=Established", "--timeout=120s")
        cluster.apply(some)
    return len(documents)
