"""What the stack deploys of a controller: its chart with the stack's own values, or its kustomization, rendered."""

import json
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from bedplate.components.kustomization import Manifests
from bedplate.lab.binaries import KUBERNETES, folder
from bedplate.lab.cluster import run
from bedplate.lab.controllers.known import Real
from bedplate.plan.answers import RELEASE
from bedplate.plan.graph import Graph, Node

Objects = list[dict[str, Any]]
CRD = "CustomResourceDefinition"
DIRECTORY = "Directory"
"""A kustomization's kind in the plan."""


def deployed(graph: Graph, real: Real) -> Node | None:
    """The stack's release or kustomization of it; None: the stack does without."""
    kind = DIRECTORY if real.kustomization else RELEASE.rpartition(":")[2]
    return next((node for node in graph.resources if node.kind == kind and node.name == real.name), None)


def rendered(node: Node, real: Real, binaries: Mapping[str, Path]) -> Objects:
    """Every object of it."""
    if real.kustomization:
        text = _kustomized(_variant(node), real, real.kustomization, binaries["kubectl"])
    else:
        text = _template(node, real, binaries["helm"])
    documents = yaml.load_all(text, Loader=yaml.CSafeLoader)
    return [_placed(document, str(node.inputs.get("namespace", ""))) for document in documents if document]


def version(node: Node) -> str:
    """Of the release or kustomization, as the module's tag spells it."""
    if node.kind == DIRECTORY:
        return _variant(node).partition("-")[0]
    return f"v{str(node.inputs['version']).removeprefix('v')}"


def _variant(node: Node) -> str:
    """The kustomization's folder, which a mirror keeps under the controller's name as well."""
    return Path(str(node.inputs["directory"])).name.removeprefix(f"{node.name}-")


def gangs_by(node: Node) -> tuple[str, ...]:
    """The scheduler whose pod groups a kustomization asks its operator to make."""
    return ("volcano",) if node.kind == DIRECTORY and _variant(node).endswith("-volcano") else ()


def _template(node: Node, real: Real, helm: Path) -> str:
    """By Helm itself; parts of other projects are left out, as the stack installs those itself."""
    with tempfile.TemporaryDirectory() as scratch:
        chart, values = Path(scratch) / "chart", Path(scratch) / "values.json"
        shutil.copytree(folder(real.project) / real.chart, chart)
        head = yaml.safe_load((chart / "Chart.yaml").read_text())
        local = [
            dependency
            for dependency in head.pop("dependencies", [])
            if (chart / "charts" / dependency["name"]).exists()
        ]
        (chart / "Chart.yaml").write_text(yaml.safe_dump(head | {"dependencies": local}))
        values.write_text(json.dumps(node.inputs.get("values") or {}, default=dict))
        place = ["--namespace", str(node.inputs["namespace"]), "--values", str(values)]
        flags = ["--include-crds", "--no-hooks", "--kube-version", KUBERNETES]
        return run([str(helm), "template", str(node.inputs["name"]), str(chart), *place, *flags])


def _kustomized(variant: str, real: Real, ours: Manifests, kubectl: Path) -> str:
    """By kubectl; upstream's manifests come from the source instead of the network."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "ours"
        shutil.copytree(ours.folder, copy)
        shutil.copytree(folder(real.project), Path(scratch) / "source", ignore=shutil.ignore_patterns(*real.processes))
        for path in copy.glob("*/kustomization.yaml"):
            path.write_text(at_hand(path.read_text(), real.project.version, "../../source"))
        # Manifests by file, which kustomize takes from below its own folder only.
        return run([str(kubectl), "kustomize", "--load-restrictor=LoadRestrictionsNone", str(copy / variant)])


def at_hand(text: str, release: str, source: str) -> str:
    """A kustomization whose remote resources of a release are those in a folder."""
    tag = re.escape(release)
    file = rf"https://raw\.githubusercontent\.com/[^/\s]+/[^/\s]+/{tag}/(\S+)"
    base = rf"https://github\.com/[^/\s]+/[^/\s]+//(\S+)\?ref={tag}"
    return re.sub(base, rf"{source}/\1", re.sub(file, rf"{source}/\1", text))


def _placed(obj: dict[str, Any], namespace: str) -> dict[str, Any]:
    """Helm puts what names no namespace into the release's; cluster-scoped kinds pay no heed to it."""
    if obj["metadata"].get("namespace") or not namespace or obj["kind"] not in NAMESPACED:
        return obj
    return obj | {"metadata": obj["metadata"] | {"namespace": namespace}}


NAMESPACED = {"ConfigMap", "Deployment", "Role", "RoleBinding", "Secret", "Service", "ServiceAccount"}
