"""Make `images.json` of each release in `bedplate/charts/`: which images a chart pulls, and by which of its values.

    python -m tests.tools.make_chart_images [VALUES.yaml ...]

Without a file, of every release in `../shared/upstream`. With some (`helm show values`, kept as CHART-VERSION.yaml),
of those. `[images]` of the chart's `sources.toml` says what its templates write: `{a.b|c.d|=e}` is the first of these
values that is not empty, `=e` the one that the template writes itself, mostly `.Chart.AppVersion`, which is VERSION
where a chart and its images are released together; a row is pulled `when` all of these values are set, and `system`
says that the operator ends its tag with the nodes' system. The defaults come from the values, and where those do not
have them or the published chart has others, from `defaults` and `releases` there.
"""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from bedplate.charts import DATA, names, stated, written
from bedplate.components.chart_images import FILE, PLACE, choices
from tests.tools.make_chart_keys import UPSTREAM, split, write_text


def told(chart: str) -> Mapping[str, Any]:
    """What its `sources.toml` says of images; empty where nobody has read its templates."""
    return stated(chart, "sources.toml").get("images", {})


def document(path: Path) -> tuple[str, str]:
    """The file of one release, by its default values."""
    chart, version = split(path.stem)
    said = told(chart)
    values = dict(leaves(yaml.safe_load(path.read_text()) or {}))
    values |= said.get("defaults", {}) | said.get("releases", {}).get(version, {})
    rows = [kept(row, version) for row in said["rows"] if needed(row, values)]
    asked = {one for row in rows for one in paths(row)}
    defaults = {one: values[one] for one in sorted(asked) if values.get(one) not in (None, "")}
    source = f"{path.stem}: default values and templates"
    return f"{chart}/{version}/{FILE}", written({"source": source, "defaults": defaults, "images": rows})


def kept(row: Mapping[str, Any], version: str) -> dict[str, Any]:
    """As it stands in the file: whatever stays empty there has its usual value."""
    bare = version.removeprefix("v")
    return {**row, "image": row["image"].replace("=VERSION", f"={version}").replace("=vVERSION", f"=v{bare}")}


def needed(row: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    """Whether this release of the chart has the image at all."""
    groups = [choices(place) for place in PLACE.findall(row["image"])]
    return all(any(one.startswith("=") or one in values for one in group) for group in groups)


def paths(row: Mapping[str, Any]) -> Iterator[str]:
    """Every value that a row asks for."""
    yield from (one for place in PLACE.findall(row["image"]) for one in choices(place) if not one.startswith("="))
    yield from row.get("when", ())


def leaves(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Every value that is no mapping, dotted."""
    for key, value in values.items():
        path = f"{above}.{key}" if above else str(key)
        if isinstance(value, Mapping):
            yield from leaves(value, path)
        elif not isinstance(value, list):
            yield path, value


def documents() -> Iterator[tuple[str, str]]:
    """Of every release whose values are known here."""
    read = {chart for chart in names("sources.toml") if told(chart)}
    files = sorted((UPSTREAM / "values").glob("*.yaml"))
    yield from (document(path) for path in files if split(path.stem)[0] in read)


if __name__ == "__main__":
    for place, text in map(document, map(Path, sys.argv[1:])) if sys.argv[1:] else documents():
        write_text(DATA / place, text)
