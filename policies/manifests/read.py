"""Manifests from files, folders and standard input, as resources."""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from bedplate.policies.manifests.charts import from_manifest, of_values
from bedplate.policies.manifests.documents import Document, Fault, documents
from bedplate.policies.manifests.files import Excluded, found_in
from bedplate.policies.manifests.helm import NAME as CHART
from bedplate.policies.manifests.helm import Charted, charted
from bedplate.policies.manifests.kustomize import NAMES, kustomized
from bedplate.policies.resources.model import Resource
from bedplate.policies.values import Tree, dig, is_list, is_map, text, tree

BESIDE = "bedplate-waivers.yaml"
"""The name of a file whose waivers hold for its folder and all below."""
STDIN = "stdin"
"""What reports call standard input."""
STREAMS = {"-", "/dev/stdin"}
NO_OBJECT = "document that is no Kubernetes object"
TEMPLATE = "template of a chart (render it: `helm template ... | check -`)"
EXCLUDED = "file that --exclude names"
CHARTED = "template of a chart (judged as it is rendered with the chart's own values)"
KUSTOMIZED = "file of a kustomization (judged as it is rendered)"


@dataclass(frozen=True)
class Origin:
    """Where an object stands."""

    text: bytes
    """Its document."""
    first: int
    """Lines of the file above it."""
    item: int | None = None
    """Its number in a List."""


@dataclass
class Reading:
    """What was found, what was passed over, and what could not be read."""

    resources: list[Resource] = field(default_factory=list[Resource])
    origins: dict[str, Origin] = field(default_factory=dict[str, Origin])
    """Where each resource stands, by its URN."""
    faults: list[str] = field(default_factory=list[str])
    """One line for each part that is no YAML, or is not there."""
    chart: str = ""
    """The chart whose values other YAML is."""
    files: int = 0
    """Files that were opened."""
    waivers: list[Path] = field(default_factory=list[Path])
    """Files of waivers among them."""
    skipped: Counter[str] = field(default_factory=Counter[str])
    """How many were passed over, by what they are."""


def read(paths: Iterable[Path], exclude: tuple[str, ...] = (), chart: str = "") -> Reading:
    """Every Kubernetes object and `helmRelease:` document below the paths; other YAML is counted as skipped.

    With the name of a chart, `gpu-operator@v26.7.0`, other YAML is taken for its values.
    """
    reading = Reading(chart=chart)
    files: list[Path] = []
    for path in dict.fromkeys(paths):
        if str(path) in STREAMS:
            _take(reading, STDIN, sys.stdin.buffer.read())
            continue
        for found in found_in(path, exclude):
            if isinstance(found, Excluded):
                reading.skipped[EXCLUDED] += 1
            elif isinstance(found, Fault):
                reading.faults.append(str(found))
            else:
                files.append(found)
    _all(reading, files)
    return reading


def _all(reading: Reading, files: list[Path]) -> None:
    """Every file by itself, but for those of charts and kustomizations."""
    charts = charted(files)
    files = [file for file in files if not _of_chart(reading, file, charts)]
    built = kustomized(files)
    for file in files:
        real = file.resolve()
        if real in built.rendered:
            _take(reading, str(file), built.rendered[real], rendered=True)
        elif real in built.passed:
            reading.skipped[KUSTOMIZED] += real not in built.reasons
        else:
            _open(reading, file, unsure=real in built.unsure)
        if reason := built.reasons.get(real):
            reading.skipped[f"kustomization that is not rendered, so that its files give advice only: {reason}"] += 1


def _of_chart(reading: Reading, file: Path, charts: Charted) -> bool:
    """Take what a chart renders to, and whether a file is a part of one; what does not render is said."""
    real = file.resolve()
    if reason := charts.reasons.get(real):
        reading.skipped[f"chart that is not rendered: {reason}"] += 1
    if real in charts.rendered:
        _take(reading, str(file), charts.rendered[real], unsure=True, rendered=True)
    if real in charts.passed:
        reading.skipped[CHARTED] += 1
    return real in charts.passed or real in charts.rendered


def _open(reading: Reading, file: Path, *, unsure: bool) -> None:
    try:
        data = file.read_bytes()
    except OSError as error:
        reading.faults.append(f"{file}: {error.strerror or error}")
        return
    if file.name == BESIDE:
        reading.waivers.append(file)
    elif b"{{" in data and _in_chart(file):
        reading.skipped[TEMPLATE] += 1
    else:
        _take(reading, str(file), data, unsure=unsure)


def _in_chart(file: Path) -> bool:
    """Whether a file is a template of a Helm chart: Go's template language around YAML."""
    folders = [folder for folder in file.absolute().parents if folder.name == "templates"]
    return any((folder.parent / "Chart.yaml").exists() for folder in folders)


def _take(reading: Reading, file: str, data: bytes, *, unsure: bool = False, rendered: bool = False) -> None:
    reading.files += 1
    lines = data.splitlines(keepends=True)
    for number, found in enumerate(documents(data)):
        if isinstance(found, Fault):
            reading.faults.append(f"{file}: {found}")
            continue
        objects = list(_objects(found))
        if reading.chart and not objects and is_map(found.value):
            objects = [(None, of_values(found.value, reading.chart))]
        if found.value is not None and not objects:
            reading.skipped[NO_OBJECT] += 1
        for item, value in objects:
            resource = from_manifest(value, file)
            urn = f"{resource.urn}#{number}" + (f".{item}" if item is not None else "")
            part = unsure or not _whole(value)
            reading.resources.append(replace(resource, urn=urn, unsure=part, twice=found.twice))
            if rendered:
                continue  # its lines are nowhere in the file
            reading.origins[urn] = Origin(b"".join(lines[found.first : found.end]), found.first, item)


def _objects(document: Document) -> Iterator[tuple[int | None, Tree]]:
    """The objects of a document: itself, or the items of a List by their numbers."""
    value = document.value
    if not is_map(value):
        return
    kind, items = text(value.get("kind")), value.get("items")
    if is_map(value.get("helmRelease")) or (dig(value, "apiVersion") and kind):
        if kind.endswith("List") and is_list(items):
            yield from ((place, item) for place, item in enumerate(items) if is_map(item) and item.get("kind"))
        else:
            yield None, value


def _whole(value: Tree) -> bool:
    """Whether an object can be made as it stands.

    One whose name is absent, `*` or Go's template is for some program to finish; a controller without a selector is a
    patch of another file.
    """
    metadata = tree(value.get("metadata"))
    name = text(metadata.get("name") or metadata.get("generateName"))
    named = "metadata" not in value or (name not in ("", "*") and "{{" not in name)
    return named and (value.get("apiVersion") != "apps/v1" or dig(value, "spec", "selector") is not None)


def deployments(resources: Iterable[Resource]) -> list[list[Resource]]:
    """The resources by what is deployed together.

    What a kustomization or a chart renders to is one deployment. A folder is one deployment, unless the same object
    stands in two of its files: then they are environments or examples, and each folder, or each file of a folder with
    such files, is one of its own.
    """
    found = list(resources)
    plain = [each for each in found if Path(each.file).name not in (*NAMES, CHART)]
    built = [each for each in found if Path(each.file).name in (*NAMES, CHART)]
    ways: list[Callable[[str], str]] = [lambda _: "", lambda file: str(Path(file).parent), lambda file: file]
    return [*_apart(plain, ways), *_apart(built, ways[2:])]


def _apart(resources: list[Resource], ways: list[Callable[[str], str]]) -> Iterator[list[Resource]]:
    parts: dict[str, list[Resource]] = defaultdict(list)
    for resource in resources:
        parts[ways[0](resource.file)].append(resource)
    for part in parts.values():
        if ways[1:] and _repeats(part):
            yield from _apart(part, ways[1:])
        else:
            yield part


def _repeats(resources: list[Resource]) -> bool:
    """Whether two files declare the same object."""
    files: dict[tuple[str, str, str], str] = {}
    keys = (((each.kind, each.namespace, each.object_name), each.file) for each in resources if each.object_name)
    return any(files.setdefault(key, file) != file for key, file in keys)
