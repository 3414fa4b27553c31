"""Find the maps of a chart that take any key, by rendering the chart with a probe in each, and write them as data.

    python -m tests.tools.probe_charts CHART.tgz|FOLDER ...

A map whose section a template writes as a whole (`toYaml`, `range`, `with`) is free: its default keys are examples. One
that is read key by key is closed: a probe in it reaches no object. Where the probe lands in an object whose schema the
chart brings, the API server drops it, and the schema's own fields are what counts. Every section is probed with the
chart's defaults and with as many of its switches on as render together. `make_chart_keys` takes the result, paths and
maps with any key (`.*`), into what the charts honour.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from bedplate.charts import DATA, cache_clear, stated, written
from bedplate.lab.binaries import provide
from bedplate.lab.controllers.known import HELM
from tests.tools.make_chart_keys import write, write_text

Keys = tuple[str, ...]
PROBE = "bedplateprobe"
VALUES: tuple[Any, ...] = ("probed", {"enabled": True, "name": "probed"}, ["probed"])
"""What a map may hold: the first one that renders is taken."""
APIS = ("monitoring.coreos.com/v1", "cert-manager.io/v1", "nfd.k8s-sigs.io/v1", "gateway.networking.k8s.io/v1")
"""Kinds without which charts leave sections out."""


class Loader(yaml.CSafeLoader):
    """Takes a plain `=`, which CRDs have, for text."""


Loader.add_constructor("tag:yaml.org,2002:value", lambda _, node: node.value)


@dataclass
class Chart:
    """A chart and how it renders."""

    path: Path
    helm: Path = field(default_factory=lambda: provide(HELM)["helm"])
    renders: int = 0

    def show(self, what: str) -> Any:
        """Its Chart.yaml or its default values."""
        done = subprocess.run([self.helm, "show", what, self.path], capture_output=True, text=True, check=True)
        return yaml.safe_load(done.stdout) or {}

    @cached_property
    def schemas(self) -> dict[tuple[str, str], Any]:
        """The schema of each kind that it brings, by API version and kind."""
        done = subprocess.run([self.helm, "show", "crds", self.path], capture_output=True, text=True, check=True)
        crds = [doc for doc in yaml.load_all(done.stdout, Loader) if doc]
        return {
            (f"{crd['spec']['group']}/{each['name']}", crd["spec"]["names"]["kind"]): each["schema"]["openAPIV3Schema"]
            for crd in crds
            for each in crd["spec"]["versions"]
        }

    def render(self, values: Mapping[str, Any]) -> list[Any] | None:
        """All its objects; None where it does not render."""
        self.renders += 1
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(values, file)
            file.flush()
            apis = [f"--api-versions={api}" for api in APIS]
            command = [
                self.helm,
                "template",
                "probed",
                self.path,
                "--namespace=probed",
                "-f",
                file.name,
                "--kube-version=1.35.0",
                *apis,
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        return list(yaml.load_all(done.stdout, Loader)) if done.returncode == 0 else None

    def takes(self, document: Mapping[str, Any], place: Sequence[str] | None) -> list[str]:
        """The fields of a place in an object, by its schema: any (`*`) where it has none, or the schema says so."""
        schema = self.schemas.get((str(document.get("apiVersion")), str(document.get("kind"))))
        if schema is None or place is None:
            return ["*"]
        for key in place:
            below = schema.get("properties", {}).get(key) or schema.get("items") or schema.get("additionalProperties")
            if schema.get("x-kubernetes-preserve-unknown-fields") or below is True:
                return ["*"]
            if not isinstance(below, Mapping):
                return []
            schema = below
        open_ = "additionalProperties" in schema or "x-kubernetes-preserve-unknown-fields" in schema
        return ["*"] if open_ else sorted(schema.get("properties", {}))


def maps(values: Mapping[str, Any], above: Keys = ()) -> Iterator[Keys]:
    """Every map with keys of its own, below the top."""
    for key, value in values.items():
        if isinstance(value, Mapping) and value and "." not in str(key):
            yield (*above, str(key))
            yield from maps(value, (*above, str(key)))


def switches(values: Mapping[str, Any], above: Keys = ()) -> Iterator[Keys]:
    """Everything that is off by default."""
    for key, value in values.items():
        if value is False:
            yield (*above, str(key))
        elif isinstance(value, Mapping):
            yield from switches(value, (*above, str(key)))


def put(values: Mapping[str, Any], changes: Mapping[Keys, Any]) -> dict[str, Any]:
    """A copy with a value at each path."""
    copy = deepcopy(dict(values))
    for path, value in changes.items():
        node = copy
        for key in path[:-1]:
            node = node[key]
        node[path[-1]] = value
    return copy


def switched_on(chart: Chart, values: Mapping[str, Any], off: Sequence[Keys]) -> dict[str, Any]:
    """The values with as many switches on as render together."""
    on = put(values, dict.fromkeys(off, True))
    if chart.render(on) is not None:
        return on
    if len(off) <= 1:
        return dict(values)
    half = len(off) // 2
    return switched_on(chart, switched_on(chart, values, off[:half]), off[half:])


def landed(node: Any, place: Keys = ()) -> Iterator[tuple[str, Keys | None]]:
    """Each probe in an object, and the map that it is in: none where it is within a text."""
    if isinstance(node, Mapping):
        for key, below in node.items():
            if PROBE in str(key).lower():
                yield str(key).lower(), place
            yield from landed(below, (*place, str(key)))
    elif isinstance(node, list):
        for item in node:
            yield from landed(item, (*place, "[]"))
    elif isinstance(node, str) and PROBE in node.lower():
        yield node.lower(), None


def free(chart: Chart, values: Mapping[str, Any], paths: Sequence[Keys]) -> Iterator[Keys]:
    """What the maps take whose probe reaches an object; where several do not render together, each half of them."""
    for value in VALUES if len(paths) == 1 else VALUES[:1]:
        probes = {f"{PROBE}{number}x": path for number, path in enumerate(paths)}
        documents = chart.render(put(values, {(*path, probe): value for probe, path in probes.items()}))
        if documents is not None:
            spots = [(said, doc, place) for doc in documents for said, place in landed(doc)]
            for probe, path in probes.items():
                takes = {key for said, doc, place in spots if probe in said for key in chart.takes(doc, place)}
                yield from ((*path, key) for key in (["*"] if "*" in takes else sorted(takes)))
            return
    if len(paths) > 1:
        yield from free(chart, values, paths[: len(paths) // 2])
        yield from free(chart, values, paths[len(paths) // 2 :])


def probed(chart: Chart) -> list[str]:
    """What a chart takes besides the keys of its defaults."""
    values = {**chart.show("values"), **stated(chart.show("chart")["name"], "sources.toml").get("render", {})}
    documents = chart.render({**values, PROBE: "probed"})
    if documents is None or any(True for _ in landed(documents)):
        raise SystemExit(f"{chart.path}: does not render with its defaults, or writes all its values somewhere")
    found: set[Keys] = set()
    for base in (values, switched_on(chart, values, list(switches(values)))):
        found.update(free(chart, base, [path for path in maps(values) if (*path, "*") not in found]))
    new = (path for path in found if path[-1] == "*" or not (has(values, path) or (*path[:-1], "*") in found))
    return sorted(".".join(path) for path in new)


def carried(chart: Chart, before: Mapping[str, Any]) -> list[str]:
    """Keys of an older release that this one has no default for, and takes all the same: with one, it renders otherwise."""
    values = {**chart.show("values"), **stated(chart.show("chart")["name"], "sources.toml").get("render", {})}
    left = [path for path in named(before) if not has(values, path)]
    found: set[Keys] = set()
    for base in (values, switched_on(chart, values, list(switches(values)))) if left else ():
        plain = chart.render(base)
        for path in [one for one in left if one not in found]:
            tries = (chart.render(grown(base, path, value)) for value in VALUES)
            found |= {path} if any(one is not None and one != plain for one in tries) else set()
    return sorted(".".join(path) for path in found)


def named(keys: Mapping[str, Any], above: Keys = ()) -> Iterator[Keys]:
    """The last keys of a tree that are honoured by their name."""
    for key, below in keys.items():
        if isinstance(below, Mapping):
            yield from named(below, (*above, key))
        elif key != "*" and below != 0:
            yield (*above, key)


def grown(values: Mapping[str, Any], path: Keys, value: Any) -> dict[str, Any]:
    """A copy with a value at a path, whose maps need not be there."""
    copy = deepcopy(dict(values))
    node = copy
    for key in path[:-1]:
        node[key] = node[key] if isinstance(node.get(key), dict) else {}
        node = node[key]
    node[path[-1]] = value
    return copy


def has(values: Any, path: Keys) -> bool:
    """Whether the defaults have a key."""
    for key in path:
        if not isinstance(values, Mapping) or key not in values:
            return False
        values = values[key]
    return True


def main(charts: list[str]) -> None:
    """Probe the charts, and write their keys anew."""
    for path in map(Path, charts):
        chart = Chart(path)
        meta = chart.show("chart")
        write_text(DATA / meta["name"] / meta["version"] / "probed.json", written(probed(chart)))
        sys.stderr.write(f"{path.name}: {chart.renders} renderings\n")
    cache_clear()
    write()


if __name__ == "__main__":
    main(sys.argv[1:])
