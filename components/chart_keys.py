"""Which value keys each supported chart version really honours.

None of the charts that we install rejects a key it does not know: a misspelt or outdated one is silently ignored, and
the feature is absent. `keys.json` of each release in `bedplate/charts/` is a tree of the keys that its templates
honour (`tests/tools/make_chart_keys.py` makes it). Both the profile's validators and the policies ask on the way to
every plan.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, TypeAlias, TypeGuard

from bedplate import charts
from bedplate.components.version import is_semantic, line, semantic

FILE = "keys.json"
VERSION = re.compile(r"-v?\d+\.\d+\.\d+[^/]*$")

Node: TypeAlias = "int | str | Mapping[str, Node]"
Tree: TypeAlias = Mapping[str, Node]
DEAD, LEAF, ANY, UNKNOWN = 0, 1, "*", "?"
"""The values in a tree: no effect; a value that has no keys of its own; any keys; keys that nobody has checked."""


def chart_name(reference: str) -> str:
    """The chart's own name from a name, a path, a packaged archive or an `oci://` address."""
    name = reference.rstrip("/").rsplit("/", 1)[-1].removesuffix(".tgz")
    return VERSION.sub("", name)


@cache
def known_versions(chart: str) -> tuple[str, ...]:
    """The versions of `chart` whose keys we know, oldest first."""
    return tuple(sorted(charts.releases(chart, FILE), key=semantic))


def honours(chart: str, version: str, path: tuple[str, ...]) -> bool | None:
    """Whether the chart's templates read the value at `path`; None where we do not know."""
    tree = _tree(chart, version)
    return None if tree is None else _verdict(tree, path)


def dead_paths(chart: str, version: str, values: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """The paths in `values` that have no effect, each cut at the first key that is dead."""
    tree = _tree(chart, version)
    if tree is not None:
        yield from _dead(tree, values)


def live_paths(chart: str, version: str) -> Iterator[tuple[str, ...]]:
    """Every key that the chart's templates honour; a section that takes any keys is one."""
    yield from _live(_tree(chart, version) or {})


def _live(node: Tree, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, child in node.items():
        path = above if key == "*" else (*above, key)
        if isinstance(child, Mapping):
            yield from _live(child, path)
        elif child != DEAD:
            yield path


def _dead(node: Tree, values: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, value in values.items():
        child = node.get(key, node.get("*", DEAD))
        if child == DEAD:
            yield (*above, key)
        elif isinstance(child, Mapping) and _is_map(value):
            yield from _dead(child, value, (*above, key))
        elif child == LEAF and _is_map(value):
            yield from ((*above, key, below) for below in value)


def _is_map(value: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, Mapping)


def _verdict(node: Node, path: tuple[str, ...]) -> bool | None:
    if isinstance(node, Mapping):
        return _verdict(node.get(path[0], node.get("*", DEAD)), path[1:]) if path else True
    if node == UNKNOWN:
        return None
    return node == ANY or (node == LEAF and not path)


def read_as(chart: str, version: str) -> str:
    """The release whose keys are taken for a version: itself, or the newest of its minor line; empty: there is none."""
    release = line(version) if is_semantic(version) else None
    candidates = [known for known in known_versions(chart) if line(known) == release]
    exact = [known for known in candidates if known.lstrip("v") == version.lstrip("v")]
    return (exact or candidates or [""])[-1]


def _tree(chart: str, version: str) -> Tree | None:
    release = read_as(chart, version)
    return charts.measured(chart, FILE, release)["keys"] if release else None
