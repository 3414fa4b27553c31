"""Fifty objects as people write them, of every kind of a chart that they write; and one for each field that goes."""

from collections.abc import Iterator, Mapping
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import yaml

from tests.tools.upgrades.releases import Definitions
from tests.tools.upgrades.schemas import gone_paths, grafted, kind, served, spelt

EXAMPLES = Path(__file__).with_name("objects")
NUMBER = 50
SHARED = {"prometheus-operator-crds": "prometheus", "kube-prometheus-stack": "prometheus"}
Object = dict[str, Any]


def examples(chart: str, definitions: Definitions) -> list[Object]:
    """Of the kinds and versions that a release serves."""
    text = (EXAMPLES / f"{SHARED.get(chart, chart)}.yaml").read_text()
    ways = {(f"{one['spec']['group']}/{version}", kind(one)) for one in definitions.values() for version in served(one)}
    return [one for one in yaml.safe_load(text) if (one["apiVersion"], one["kind"]) in ways]


def people_wrote(chart: str, definitions: Definitions) -> list[Object]:
    """Fifty, each kind as often as the others."""
    return [_named(one, number) for number, one in enumerate(islice(cycle(examples(chart, definitions)), NUMBER))]


def _named(one: Mapping[str, Any], number: int) -> Object:
    return {**one, "metadata": {"name": f"user-{number}", "labels": {"written-by": "a-user"}}}


def with_gone(chart: str, old: Definitions, new: Definitions) -> Iterator[tuple[str, list[Object]]]:
    """For each field that goes: how it is called, and objects that set it, of which the first that keeps it counts."""
    written = examples(chart, old)
    for of in (one for one in old.values() if kind(one) in {each["kind"] for each in written}):
        mine = [one for one in written if one["kind"] == kind(of)]
        for number, path in enumerate(gone_paths(old, new, kind(of))):
            ways = [grafted(one, served(of)[one["apiVersion"].partition("/")[2]], path) for one in mine]
            names = [{"metadata": {"name": f"gone-{number}-{way}"}} for way in range(len(ways))]
            yield f"{kind(of)}.{spelt(path)}", [{**one, **name} for one, name in zip(ways, names, strict=True)]


def kind_of(one: Mapping[str, Any], definitions: Definitions) -> Mapping[str, Any]:
    """The definition of an object's kind."""
    group = one["apiVersion"].partition("/")[0]
    return next(each for each in definitions.values() if (each["spec"]["group"], kind(each)) == (group, one["kind"]))


def place(one: Mapping[str, Any], definition: Mapping[str, Any], *, named: bool = True) -> str:
    """Its address on the API server."""
    spec = definition["spec"]
    home = "namespaces/default/" if spec["scope"] == "Namespaced" else ""
    path = f"/apis/{one['apiVersion']}/{home}{spec['names']['plural']}"
    return f"{path}/{one['metadata']['name']}" if named else path
