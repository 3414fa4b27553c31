"""Helm values against the pinned charts: every leaf is a key of the chart's defaults or proven live, and none is proven dead."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import yaml

from bedplate.components.chart_keys import honours
from bedplate.stacks.checks.versions import leaves
from tests.upstream import upstream

Path = tuple[str, ...]
BESIDE = {
    "network-operator-26.4.1": ["sriov-network-operator.sriovOperatorConfig.featureGates.*"],
    "volcano-1.15.1": ["custom.controller_config_override.*"],
}
"""Live keys that the upstream data does not list: the subchart's templates/sriovoperatorconfig.yaml ranges over them, and
templates/controllers.yaml writes whatever mapping it is given."""


def key_faults(chart: str, version: str, values: Mapping[str, Any]) -> list[str]:
    """Leaf paths of `values` that the chart is not known to honour."""
    return [f"{chart} {version}: {'.'.join(path)}" for path in leaves(values) if not is_live(chart, version, path)]


def is_live(chart: str, version: str, path: Path) -> bool:
    """By the letter of the upstream data; of a chart that it lacks by our own table, made from the chart's archive."""
    if f"{chart}-{version}" not in _keys():
        return bool(honours(chart, version, path))
    lists, defaults = _keys()[f"{chart}-{version}"], _defaults(chart, version)
    live = lists["live_extra"] + BESIDE.get(f"{chart}-{version}", [])
    return not _listed(path, lists["dead"]) and (_listed(path, live) or _in_defaults(path, defaults))


@cache
def _keys() -> dict[str, dict[str, list[str]]]:
    return yaml.load(upstream("keys.yaml").read_text(), yaml.CSafeLoader)


@cache
def _defaults(chart: str, version: str) -> dict[str, Any]:
    return yaml.load(upstream("values", f"{chart}-{version}.yaml").read_text(), yaml.CSafeLoader)


def _listed(path: Path, entries: list[str]) -> bool:
    """An entry covers its own path and, with a trailing star, all below it."""
    dotted = ".".join(path)
    return any(
        dotted == entry.removesuffix(".*") or dotted.startswith(f"{entry.removesuffix('*')}")
        for entry in _open(entries, dotted)
    )


def _open(entries: list[str], dotted: str) -> Iterator[str]:
    return (entry for entry in entries if entry.endswith(".*") or entry == dotted or dotted.startswith(f"{entry}."))


def _in_defaults(path: Path, defaults: Any) -> bool:
    """A default that is an empty mapping is handed on whole, so any key below it is taken."""
    node = defaults
    for key in path:
        if node == {}:
            return True
        if not isinstance(node, Mapping) or key not in node:
            return False
        node = node[key]
    return True
