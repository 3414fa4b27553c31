"""Make `keys.json` of each release in `bedplate/charts/` from the default values and the render-proven keys of each chart.

    python -m tests.tools.make_chart_keys [CHART.tgz ...]

Without an archive, of every chart version in `../shared/upstream`. With one (from `helm pull`), of that chart by its
default values alone: a key that the chart honours without a default is then refused in `overrides`. Which maps take
any key is in `probed.json` beside it, from `tests.tools.probe_charts`, and what the upstream lists lack in the
chart's `sources.toml`, each with the template that proves it: keys that are honoured or dead, and `subcharts`,
sections passed to one whose own defaults the parent does not repeat, where a key that is missing proves nothing. Only
key names are kept, no defaults and no prose: they are facts about which settings exist.
"""

import sys
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from bedplate.charts import DATA, measured, stated, written
from bedplate.components.chart_keys import FILE, chart_name

ROOT = Path(__file__).parents[2]
UPSTREAM = ROOT.parent / "shared" / "upstream"
RENDERED = "default values, and `helm template` with and without the key"
UNPROVEN = "default values"
"""How the keys of a chart are known that nobody has rendered with and without each."""


def tree(value: Any) -> Any:
    """Default values as a tree of keys: an empty or null default may take any keys, a scalar or list takes none."""
    if isinstance(value, Mapping) and value:
        return {str(key): tree(below) for key, below in value.items()}
    return "*" if value in (None, "", {}) else 1


def put(keys: dict[str, Any], path: list[str], value: Any) -> None:
    """Write one proven path into the tree; what is proven about a whole section never hides what is known below it."""
    node = keys
    for key in path[:-1]:
        if not isinstance(node.get(key), dict):
            node[key] = {"*": "*"} if node.get(key) == "*" else {}
        node = node[key]
    if value == "*" and isinstance(node.get(path[-1]), dict):
        node[path[-1]]["*"] = "*"
    else:
        node[path[-1]] = value


def kill(keys: dict[str, Any], path: list[str]) -> None:
    """Write one dead path into the tree, unless what is above it is dead already."""
    node = keys
    for key in path[:-1]:
        below = node.get(key, node.get("*", 0))
        if below in (0, 1):
            return
        if not isinstance(below, dict):
            node[key] = {"*": below}
        node = node[key]
    node[path[-1]] = 0


def honoured(defaults: Mapping[str, Any], facts: Mapping[str, list[str]], subcharts: tuple[str, ...]) -> dict[str, Any]:
    """The tree of one chart version: its defaults, then what is honoured besides, then what is dead all the same."""
    keys: dict[str, Any] = tree(defaults)
    keys.setdefault("global", "*")  # Helm itself gives every chart and subchart its globals
    for path in sorted(facts["live_extra"], key=lambda path: path.count(".")):
        *above, last = path.split(".")
        put(keys, above if last == "*" else [*above, last], "*")
    for name in subcharts:
        open_below(keys.setdefault(name, {}))
    for path in facts["dead"]:
        kill(keys, [part for part in path.split(".") if part != "*"])
    return prune(keys)


def open_below(node: dict[str, Any]) -> None:
    """Mark every key that a subchart section does not list as unknown."""
    for child in list(node.values()):
        if isinstance(child, dict):
            open_below(child)
    node.setdefault("*", "?")


def prune(node: Any) -> Any:
    """Drop dead keys where any unlisted key is dead anyway."""
    if not isinstance(node, dict):
        return node
    return {key: prune(below) for key, below in sorted(node.items()) if below != 0 or "*" in node}


def how(chart: str, version: str, first: str = RENDERED) -> str:
    """How the keys of a release are known."""
    probed = measured(chart, "probed.json", version) is not None
    return first + (", and with a probe in each map" if probed else "; its maps were not probed")


def split(stem: str) -> tuple[str, str]:
    """Chart and version of `<chart>-<version>`."""
    chart = chart_name(stem)
    return chart, stem.removeprefix(f"{chart}-")


def documents() -> Iterator[tuple[str, str]]:
    """The path in `bedplate/charts/` and the text of each release that we have sources of."""
    facts = yaml.safe_load((UPSTREAM / "keys.yaml").read_text())
    for path in sorted((UPSTREAM / "values").glob("*.yaml")):
        chart, version = split(path.stem)
        keys = honoured(yaml.safe_load(path.read_text()), corrected(path.stem, facts[path.stem]), subcharts(chart))
        yield document(chart, version, keys, how(chart, version))


def subcharts(chart: str) -> tuple[str, ...]:
    """Sections whose keys its values do not tell."""
    return tuple(stated(chart, "sources.toml").get("keys", {}).get("subcharts", ()))


def corrected(stem: str, lists: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """The upstream lists of a release, with what they lack."""
    chart, version = split(stem)
    more = stated(chart, "sources.toml").get("keys", {}).get("releases", {}).get(version, {})
    live = [*lists["live_extra"], *more.get("live_extra", ()), *(measured(chart, "probed.json", version) or ())]
    return {"live_extra": live, "dead": [*lists["dead"], *more.get("dead", ())]}


def document(chart: str, version: str, keys: dict[str, Any], how: str) -> tuple[str, str]:
    """The file of one release: one key a line, and how its keys are known."""
    return f"{chart}/{version}/{FILE}", written({"source": f"{chart}-{version}: {how}", "keys": keys})


def packaged(archive: Path) -> tuple[str, str]:
    """The same of a chart's archive; the sections of its subcharts take any keys."""
    with tarfile.open(archive) as files:
        meta, values = (yaml.safe_load(_member(files, name)) for name in ("Chart.yaml", "values.yaml"))
    others = tuple(one.get("alias", one["name"]) for one in meta.get("dependencies") or ())
    chart, version = meta["name"], meta["version"]
    probed = measured(chart, "probed.json", version) or []
    keys = honoured(values or {}, {"live_extra": probed, "dead": []}, others)
    return document(chart, version, keys, how(chart, version, UNPROVEN))


def _member(files: tarfile.TarFile, name: str) -> bytes:
    """A file at the top of the chart; those of its subcharts lie deeper."""
    found = files.extractfile(next(one for one in files.getnames() if one.split("/")[1:] == [name]))
    assert found is not None
    return found.read()


def write(*archives: str) -> None:
    """Write the files of these archives, or of every chart version that we have sources of."""
    for place, text in map(packaged, map(Path, archives)) if archives else documents():
        write_text(DATA / place, text)


def write_text(path: Path, text: str) -> None:
    """Of a release that may be new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(*sys.argv[1:])
