"""`--out DIR`: the plan as files. Their names and keys are an interface, documented in docs/plan.md.

A plan is written beside DIR first and moved into place whole: a reader never sees half of one. A folder that holds
anything but an earlier plan is left alone.
"""

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from .answers import RELEASE
from .deployment import deployment
from .errors import PlanError
from .graph import Graph
from .manifests import manifests
from .to_yaml import to_yaml

MARKER = ".bedplate-plan"
PICTURES = frozenset({"layers.svg", "order.svg", "fabric.svg"})
JSON = frozenset({"releases.json", "graph.json", "deployment.json", "profile.json"})
EMITTED = frozenset({"argocd", "flux"})
CONTENT = frozenset({MARKER, "manifests", "values", "report.html"}) | JSON | PICTURES | EMITTED


def check(folder: Path) -> None:
    """Refuse a place that a plan may not replace, before any work is done."""
    there = next(place for place in (folder.absolute(), *folder.absolute().parents) if place.exists())
    if not there.is_dir():
        raise PlanError([f"--out {folder}: {there} is a file: name a folder"])
    if not folder.exists():
        return
    held = {path.name for path in folder.iterdir()}
    if held and (MARKER not in held or not held <= CONTENT):
        foreign = sorted(held - CONTENT) or ["files without a plan's marker"]
        raise PlanError([f"--out {folder}: holds {foreign[0]}, which no plan wrote: name an empty or a new folder"])


def write(
    folder: Path, graph: Graph, brief: Mapping[str, Any], emitted: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Write the whole plan, with what is emitted for a controller, in place of an earlier one."""
    check(folder)
    folder = folder.resolve()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as beside:
            _write_files(Path(beside) / "new", {**dict(_files(graph, brief)), **emitted}, graph.stack)
            if folder.exists():
                folder.rename(Path(beside) / "old")
            (Path(beside) / "new").rename(folder)
    except OSError as error:
        raise PlanError([f"--out {folder}: cannot be written: {error.strerror or error}"]) from error


def _write_files(folder: Path, files: Mapping[str, str], stack: str) -> None:
    for name in ("manifests", "values"):
        (folder / name).mkdir(parents=True)
    for name, text in {MARKER: f"{stack}\n", **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def _files(graph: Graph, brief: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    from .pictures import pictures  # noqa: PLC0415 - only a written plan pays for the template engine
    from .report import report  # noqa: PLC0415

    for manifest in manifests(graph):
        yield f"manifests/{manifest.file}", manifest.text()
    for name, values in release_values(graph):
        yield f"values/{name}.yaml", to_yaml(values)
    yield "releases.json", _json(brief["releases"])
    yield "graph.json", _json({"resources": brief["resources"]})
    yield "deployment.json", _json(deployment(graph))
    if graph.profile:
        yield "profile.json", _json(graph.profile)
    drawn = dict(pictures(graph, brief["sizing"]))
    yield from ((f"{name}.svg", picture) for name, picture in drawn.items())
    yield "report.html", report(graph, brief, drawn)


def release_values(graph: Graph) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What each release sets, by its name; with the namespace where two share one."""
    nodes = [node for node in graph.resources if node.type == RELEASE]
    names = Counter(node.inputs.get("name", node.name) for node in nodes)
    for node in nodes:
        name = node.inputs.get("name", node.name)
        yield name if names[name] == 1 else f"{node.inputs.get('namespace')}-{name}", node.inputs.get("values") or {}


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"
