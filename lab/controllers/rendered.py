"""What the stack deploys of a controller: its chart with the stack's own values, rendered by Helm."""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import yaml

from lab.binaries import KUBERNETES, folder
from lab.controllers.known import Real
from lab.problem import LabError
from plan.answers import RELEASE_TYPE
from plan.graph import Graph, Node

Objects = list[dict[str, Any]]
CRD = "CustomResourceDefinition"


def deployed(graph: Graph, real: Real) -> Node | None:
    """The stack's release of it; None: the stack does without."""
    return next((node for node in graph.resources if node.type == RELEASE_TYPE and node.name == real.name), None)


def rendered(node: Node, real: Real, helm: Path) -> Objects:
    """Every object of it."""
    documents = yaml.load_all(_template(node, real, helm), Loader=yaml.CSafeLoader)
    return [_placed(one, str(node.inputs.get("namespace", ""))) for one in documents if one]


def version(node: Node) -> str:
    """Of the release, as the module's tag spells it."""
    return f"v{str(node.inputs['version']).removeprefix('v')}"


def _template(node: Node, real: Real, helm: Path) -> str:
    """By Helm itself; parts of other projects are left out, as the stack installs those itself."""
    with tempfile.TemporaryDirectory() as scratch:
        chart, values = Path(scratch) / "chart", Path(scratch) / "values.json"
        shutil.copytree(folder(real.project) / real.chart, chart)
        head = yaml.safe_load((chart / "Chart.yaml").read_text())
        local = [one for one in head.pop("dependencies", []) if (chart / "charts" / one["name"]).exists()]
        (chart / "Chart.yaml").write_text(yaml.safe_dump(head | {"dependencies": local}))
        values.write_text(json.dumps(node.inputs.get("values") or {}, default=dict))
        place = ["--namespace", str(node.inputs["namespace"]), "--values", str(values)]
        flags = ["--include-crds", "--no-hooks", "--kube-version", KUBERNETES]
        return _run([str(helm), "template", str(node.inputs["name"]), str(chart), *place, *flags])


def _placed(one: dict[str, Any], namespace: str) -> dict[str, Any]:
    """Helm puts what names no namespace into the release's; cluster-scoped kinds pay no heed to it."""
    if one["metadata"].get("namespace") or not namespace or one["kind"] not in NAMESPACED:
        return one
    return one | {"metadata": one["metadata"] | {"namespace": namespace}}


NAMESPACED = {"ConfigMap", "Deployment", "Role", "RoleBinding", "Secret", "Service", "ServiceAccount"}


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LabError(done.stderr.strip())
    return done.stdout
