"""Make components/chart_images/*.json: which images a chart pulls, and by which of its values.

    python -m tests.tools.make_chart_images [VALUES.yaml ...]

Without a file, of every chart version in `../shared/upstream`. With some (`helm show values`, kept as
CHART-VERSION.yaml), of those. TABLES says what the templates of each chart write; the defaults come from its values.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from bedplate.components.chart_images import DATA, PLACE, choices
from bedplate.components.chart_keys import chart_name
from tests.tools.chart_image_tables import CORRECTED, OF_SUBCHARTS, PLACED, TABLES, Row
from tests.tools.make_chart_keys import UPSTREAM


def document(path: Path) -> tuple[str, str]:
    """The file of one chart version, by its default values."""
    values, chart = yaml.safe_load(path.read_text()) or {}, chart_name(path.stem)
    version = path.stem.removeprefix(f"{chart}-")
    more = (PLACED.get(chart, {}), OF_SUBCHARTS.get(path.stem, {}), CORRECTED.get(path.stem, {}))
    stated = dict(leaves(values)) | {key: value for one in more for key, value in one.items()}
    rows = [kept(row, version) for row in TABLES[chart] if needed(row, stated)]
    asked = {one for row in rows for one in paths(row)}
    defaults = {one: stated[one] for one in sorted(asked) if stated.get(one) not in (None, "")}
    source = f"{path.stem}: default values and templates"
    return f"{path.stem}.json", json.dumps({"source": source, "defaults": defaults, "images": rows}, indent=1) + "\n"


def kept(row: Row, version: str) -> dict[str, Any]:
    """As it stands in the file: whatever stays empty there has its usual value."""
    image = row.image.replace("=VERSION", f"={version}").replace("=vVERSION", f"=v{version.removeprefix('v')}")
    return {
        "image": image,
        **({"when": list(row.when)} if row.when else {}),
        **({"system": True} if row.system else {}),
    }


def needed(row: Row, stated: Mapping[str, Any]) -> bool:
    """Whether this version of the chart has the image at all."""
    groups = [choices(place) for place in PLACE.findall(row.image)]
    return all(any(one.startswith("=") or one in stated for one in group) for group in groups)


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
    """Of every version whose values are known here."""
    files = sorted((UPSTREAM / "values").glob("*.yaml"))
    yield from (document(path) for path in files if chart_name(path.stem) in TABLES)


if __name__ == "__main__":
    for name, text in map(document, map(Path, sys.argv[1:])) if sys.argv[1:] else documents():
        (DATA / name).write_text(text)
