"""`policies/resources/paths.csv`: where custom resources carry pod templates, by the schemas of their definitions.

    python -m tests.tools.pod_paths --clones DIR

Charts that we install: `../shared/upstream/crds` (`make upstream`). Other projects: bare clones, at the commits that
`bedplate/catalog/data/sources.csv` names as `pods-*`.
"""

import argparse
import csv
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from bedplate.catalog.sources import SOURCES
from bedplate.policies.resources.paths import TABLE
from tests.tools.catalog.read import Clones
from tests.tools.crd_schemas import LOADER
from tests.upstream import UPSTREAM

Schema: TypeAlias = Mapping[str, Any]
Found: TypeAlias = tuple[str, str]
"""A path, and the keys of containers by another name that stand there."""
OF_PROGRAMS = {"Config", "Workload", "RoleBasedGroupWarmup", "RayClusterReplicaSet", "TrainJob"}
"""Kinds that programs write, and the TrainJob, whose pods are its runtime's."""
OPERANDS = {"nvidia.com"}
"""Groups whose containers are those of the operator itself."""
LISTS = {"containers", "initContainers", "ephemeralContainers"}
CONTAINER = {"env", "args", "command", "image"}
COLUMNS = ("group", "kind", "path", "main", "source")


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clones", type=Path, required=True, metavar="DIR", help="the folder of bare clones")
    found = merged(_all(Clones(parser.parse_args().clones)))
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([COLUMNS, *found])
    sys.stdout.write(f"{len(found)} paths of {len({row[:2] for row in found})} kinds\n")


def merged(found: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """One row a path, with all its sources."""
    sources: dict[tuple[str, ...], set[str]] = {}
    for *row, source in found:
        sources.setdefault(tuple(row), set()).add(source)
    return [(*row, " ".join(sorted(sources[row]))) for row in sorted(sources)]


def _all(clones: Clones) -> Iterator[tuple[str, ...]]:
    """Every row of the releases that we install, and of other projects."""
    for folder in (UPSTREAM / "crds").iterdir():
        yield from rows((each.read_text("utf-8") for each in folder.glob("*.yaml")), folder.name)
    for source in SOURCES:
        if source.startswith("pods-"):
            yield from rows(clones.texts(source).values(), source)


def rows(texts: Iterable[str], source: str) -> Iterator[tuple[str, ...]]:
    """The rows of definitions."""
    for text in texts:
        for definition in yaml.load_all(text, Loader=LOADER):
            spec = definition.get("spec", {}) if isinstance(definition, dict) else {}
            if {"group", "names", "versions"} <= spec.keys():
                group, kind = spec["group"], spec["names"]["kind"]
                for path, main in _of_kind(spec) if kind not in OF_PROGRAMS and group not in OPERANDS else ():
                    yield group, kind, path, main, source


def _of_kind(spec: Schema) -> set[Found]:
    """Of all versions. A container alone counts only where the kind has no pod spec, whose sidecar it would be."""
    schemas = [version.get("schema", {}).get("openAPIV3Schema", {}) for version in spec["versions"]]
    pods = {found for schema in schemas for found in pods_in(schema)}
    return pods or {(path, "") for schema in schemas for path in containers_in(schema)}


def pods_in(schema: Schema, path: str = "") -> Iterator[Found]:
    """Where a schema has pod specs, or anything at all by the name of a template."""
    properties = schema.get("properties", {})
    if "containers" in properties and {"volumes", "restartPolicy"} & properties.keys():
        main = [key for key, below in properties.items() if key not in LISTS and _is_container(below)]
        yield path.removesuffix(".spec") if path != "spec" else path, " ".join(main)
        for key, below in properties.items():
            yield from pods_in(below, f"{path}.{key}") if key not in {*LISTS, *main} else ()
        return
    if path.endswith(".template") and schema.get("x-kubernetes-preserve-unknown-fields") and not properties:
        yield path, ""
    for step, below in _below(schema):
        yield from pods_in(below, f"{path}{step}".lstrip("."))


def containers_in(schema: Schema, path: str = "") -> Iterator[str]:
    """Where a schema has a container by another name."""
    if path and _is_container(schema):
        yield path
    for step, below in _below(schema):
        yield from containers_in(below, f"{path}{step}".lstrip("."))


def _is_container(schema: Schema) -> bool:
    properties = schema.get("properties", {})
    amounts = properties.get("resources", {}).get("properties", {})
    return bool({"limits", "requests"} & amounts.keys() and CONTAINER & properties.keys())


def _below(schema: Schema) -> Iterator[tuple[str, Schema]]:
    yield from ((f".{key}", below) for key, below in schema.get("properties", {}).items() if key != "status")
    if isinstance(schema.get("additionalProperties"), dict):
        yield ".*", schema["additionalProperties"]
    if isinstance(schema.get("items"), dict):
        yield "[]", schema["items"]


if __name__ == "__main__":
    main()
