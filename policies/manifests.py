"""Manifests from files and folders, as resources."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from policies.model import Resource, from_manifest
from policies.values import Tree, dig, is_list, is_map, trees

SUFFIXES = {".yaml", ".yml", ".json"}
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The fast one where PyYAML was built with it."""


@dataclass
class Reading:
    """What was found, and what could not be read."""

    resources: list[Resource] = field(default_factory=list[Resource])
    lines: dict[str, int] = field(default_factory=dict[str, int])
    """Where each resource's document begins, by its URN."""
    faults: list[str] = field(default_factory=list[str])
    """One line for each file that is no YAML, or is not there."""


def read(paths: Iterable[Path]) -> Reading:
    """Every Kubernetes object and `helmRelease:` document below the paths; other YAML is somebody else's."""
    reading = Reading()
    for path in paths:
        if not path.exists():
            reading.faults.append(f"{path}: there is no such file or folder")
        for file in _files(path):
            try:
                documents = list(_documents(file))
            except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
                reading.faults.append(f"{file}: {_reason(error)}")
                continue
            for number, (line, document) in enumerate(documents):
                resource = from_manifest(document, str(file))
                urn = f"{resource.urn}#{number}"
                reading.resources.append(replace(resource, urn=urn))
                reading.lines[urn] = line
    return reading


def deployments(resources: Iterable[Resource]) -> list[list[Resource]]:
    """The resources by what is deployed together.

    A folder is one deployment, unless the same object stands in two of its files: then they are environments or
    examples, and each folder, or each file of a folder with such files, is one of its own.
    """
    return list(_apart(list(resources), [lambda _: "", lambda file: str(Path(file).parent), lambda file: file]))


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


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    return sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES and file.is_file())


def _documents(file: Path) -> Iterator[tuple[int, Tree]]:
    """Documents that are objects, with their lines; a List stands for its items."""
    with file.open(encoding="utf-8") as stream:
        loader = LOADER(stream)
        try:
            while loader.check_node():
                node = loader.get_node()
                document = _plain(loader.construct_document(node))
                yield from ((node.start_mark.line + 1, each) for each in _objects(document))
        finally:
            loader.dispose()


def _objects(document: object) -> Iterator[Tree]:
    if not is_map(document):
        return
    if "helmRelease" in document or (dig(document, "apiVersion") and dig(document, "kind")):
        nested = trees(document.get("items")) if str(document.get("kind")).endswith("List") else [document]
        yield from nested


def _plain(value: object) -> object:
    """Keys as text: YAML reads `on:` and `8000:` as something else."""
    if is_map(value):
        return {str(key): _plain(below) for key, below in value.items()}
    return [_plain(item) for item in value] if is_list(value) else value


def _reason(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    place = f"line {mark.line + 1}: " if mark else ""
    return f"{place}{getattr(error, 'problem', None) or error}".replace("\n", " ")
