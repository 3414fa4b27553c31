"""Make components/chart_keys/*.json from the default values and the render-proven keys of each chart.

    python -m tests.tools.make_chart_keys [CHART.tgz ...]

Without an archive, of every chart version in `../shared/upstream`. With one (from `helm pull`), of that chart by its
default values alone: a key that the chart honours without a default is then refused in `overrides`. Which maps take any
key is in `free_maps.json`, from `tests.tools.probe_charts`. Only key names are kept, no defaults and no prose: they are
facts about which settings exist.
"""

import json
import sys
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
UPSTREAM = ROOT.parent / "shared" / "upstream"
DATA = ROOT / "components" / "chart_keys"

FREE = Path(__file__).with_name("free_maps.json")
"""Of each chart that was rendered with a probe in every map: maps that take any key (`.*`), and keys without a default."""
RENDERED = "default values, and `helm template` with and without the key"
UNPROVEN = "default values"
"""How the keys of a chart are known that nobody has rendered with and without each."""
CORRECTED: Mapping[str, Mapping[str, list[str]]] = {
    # Chart.yaml: `condition: dataCache.enabled,dataCache.lws.install`, of which Helm takes the first that is set.
    "kubeflow-trainer-2.3.0": {"live_extra": [], "dead": ["dataCache.lws.install"]},
    # charts/sriov-network-operator/templates: sriovoperatorconfig.yaml, configmap.yaml.
    "network-operator-26.4.1": {
        "live_extra": [
            "sriov-network-operator.sriovOperatorConfig.featureGates.*",
            "sriov-network-operator.supportedExtraNICs.*",
        ],
        "dead": [],
    },
    # Every name below it is a file system of the site's.
    "exa-csi-2.9.0": {"live_extra": ["config.exascaler_map.*"], "dead": []},
}
"""What the upstream lists lack, each with the template that proves it."""
SUBCHARTS = {
    "kube-prometheus-stack": (
        "grafana",
        "kube-state-metrics",
        "prometheus-node-exporter",
        "prometheus-windows-exporter",
    ),
    "vllm-stack": ("kube-prometheus-stack", "prometheus-adapter"),
}
"""Sections passed to a subchart whose own defaults the parent does not repeat: a key missing there proves nothing."""


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


def free_maps() -> dict[str, list[str]]:
    """What probes found besides the defaults, by chart and version."""
    return json.loads(FREE.read_text(encoding="utf-8")) if FREE.exists() else {}


def how(stem: str, first: str = RENDERED) -> str:
    """How the keys of a chart version are known."""
    return first + (", and with a probe in each map" if stem in free_maps() else "; its maps were not probed")


def documents() -> Iterator[tuple[str, str]]:
    """The file name and the text of each chart version."""
    facts = yaml.safe_load((UPSTREAM / "keys.yaml").read_text())
    for path in sorted((UPSTREAM / "values").glob("*.yaml")):
        chart = next((name for name in SUBCHARTS if path.stem.startswith(f"{name}-")), "")
        lists = corrected(path.stem, facts[path.stem])
        keys = honoured(yaml.safe_load(path.read_text()), lists, SUBCHARTS.get(chart, ()))
        yield document(path.stem, keys, how(path.stem))


def corrected(stem: str, lists: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """The upstream lists of a chart version, with what they lack."""
    more = CORRECTED.get(stem, {"live_extra": [], "dead": []})
    live = [*lists["live_extra"], *more["live_extra"], *free_maps().get(stem, ())]
    return {"live_extra": live, "dead": [*lists["dead"], *more["dead"]]}


def document(stem: str, keys: dict[str, Any], how: str) -> tuple[str, str]:
    """The file of one chart version, `<chart>-<version>`, one key a line, and how its keys are known."""
    text = json.dumps({"source": f"{stem}: {how}", "keys": keys}, indent=1, sort_keys=True)
    return f"{stem}.json", text + "\n"


def packaged(archive: Path) -> tuple[str, str]:
    """The same of a chart's archive; the sections of its subcharts take any keys."""
    with tarfile.open(archive) as files:
        chart, values = (yaml.safe_load(_member(files, name)) for name in ("Chart.yaml", "values.yaml"))
    subcharts = tuple(one.get("alias", one["name"]) for one in chart.get("dependencies") or ())
    stem = f"{chart['name']}-{chart['version']}"
    keys = honoured(values or {}, {"live_extra": free_maps().get(stem, []), "dead": []}, subcharts)
    return document(stem, keys, how(stem, UNPROVEN))


def _member(files: tarfile.TarFile, name: str) -> bytes:
    """A file at the top of the chart; those of its subcharts lie deeper."""
    found = files.extractfile(next(one for one in files.getnames() if one.split("/")[1:] == [name]))
    assert found is not None
    return found.read()


def write(*archives: str) -> None:
    """Write the files of these archives, or of every chart version that we have sources of."""
    for name, text in map(packaged, map(Path, archives)) if archives else documents():
        (DATA / name).write_text(text)


if __name__ == "__main__":
    write(*sys.argv[1:])
