"""`crds.json` of each chart: the fields of its own kinds and their types, from `../shared/upstream/crds` (`make upstream`).

    python -m tests.tools.crd_schemas

What is kept of a definition is what decides whether an API server takes a field: names, types, fixed values. Pods are
taken for Kubernetes' own, since controllers hand them on; `status` is nobody's to write.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from bedplate.charts import DATA, names, pin, stated
from bedplate.components.chart import Chart
from bedplate.policies.manifests.schemas import CRDS, DEFINITIONS, OBJECT_META, POD_SPEC
from tests.upstream import UPSTREAM

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
OPEN = "x-kubernetes-preserve-unknown-fields"
NOBODY_WRITES = {"BindRequest", "Config"}
"""Kinds that KAI's own programs write."""


def main() -> None:
    """Write the file of each release that is pinned."""
    for file, folder in files():
        found = kinds(folder)
        file.write_text(written(found), "utf-8")
        sys.stdout.write(f"{file.parent.parent.name} {file.parent.name}: {len(found)} kinds\n")


def files() -> Iterator[tuple[Path, Path]]:
    """The file of each chart whose definitions are there, with their folder."""
    for chart in names("sources.toml"):
        release = str(pin(chart, Chart).get("version", ""))
        upstream = stated(chart, "sources.toml").get("crds", {}).get("upstream", chart)
        folders = (each for each in (UPSTREAM / "crds").glob(f"{upstream}-*") if _same(each, upstream, release))
        places = (each for each in (DATA / chart).iterdir() if each.is_dir() and _same(each, "", release))
        yield from ((place / CRDS, folder) for place, folder in zip(places, folders, strict=False))


def _same(folder: Path, upstream: str, release: str) -> bool:
    return folder.name.removeprefix(f"{upstream}-").removeprefix("v") == release.removeprefix("v")


def written(found: Mapping[str, Any]) -> str:
    """One line a kind, so that a difference names it."""
    lines = (
        f"{json.dumps(key)}:{json.dumps(found[key], sort_keys=True, separators=(',', ':'))}" for key in sorted(found)
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def kinds(folder: Path) -> dict[str, Any]:
    """The schemas of one release, by `group/version/Kind`: versions that are served."""
    found: dict[str, Any] = {}
    for file in sorted(folder.glob("*.yaml")):
        spec = yaml.load(file.read_text("utf-8"), Loader=LOADER)["spec"]  # noqa: S506 (the safe one)
        for version in spec["versions"] if spec["names"]["kind"] not in NOBODY_WRITES else ():
            if version.get("served") and (schema := version.get("schema", {}).get("openAPIV3Schema")):
                found[f"{spec['group']}/{version['name']}/{spec['names']['kind']}"] = _root(schema)
    return found


def _root(schema: Mapping[str, Any]) -> dict[str, Any]:
    whole = reduced(schema)
    properties = whole.get("properties", {})
    properties |= {"apiVersion": {}, "kind": {}, "metadata": _ref(OBJECT_META)}
    properties.pop("status", None)
    return {**whole, "properties": {**properties, "status": {}}}


def reduced(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A structural schema as JSON Schema, closed where the API server prunes what it does not know."""
    properties = schema.get("properties", {})
    if {"containers", "restartPolicy", "volumes"} <= properties.keys():
        return _ref(POD_SPEC)
    if schema.get("x-kubernetes-int-or-string"):
        return {"type": ["integer", "string", "null"]}
    kept: dict[str, Any] = {"type": [schema["type"], "null"]} if "type" in schema else {}
    if properties:
        kept["properties"] = {name: reduced(below) for name, below in properties.items()}
        kept |= {} if schema.get(OPEN) else {"additionalProperties": False}
    if isinstance(schema.get("additionalProperties"), Mapping):
        kept["additionalProperties"] = reduced(schema["additionalProperties"])
    if "items" in schema:
        kept["items"] = reduced(schema["items"])
    if "enum" in schema:
        kept["enum"] = [*schema["enum"], None]
    if required := [name for name in schema.get("required", ()) if "default" not in properties.get(name, {})]:
        kept["required"] = required
    return kept


def _ref(definition: str) -> dict[str, Any]:
    return {"$ref": f"{DEFINITIONS}#/$defs/{definition}"}


if __name__ == "__main__":
    main()
