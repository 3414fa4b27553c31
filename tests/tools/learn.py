"""Write what is known of a chart's new release from its archive: images, keys, CRDs, pods, the record's skeleton.

    python -m tests.tools.learn [--without-helm] CHART-VERSION.tgz ...

Each by its own tool; `bedplate releases update --write` calls this. A key of the pinned release that the new one has no
default for is rendered with and without: `probed.json` has those that still change something. Without Helm (the lab's own, which Go builds) maps are not
probed, so a key that the chart takes without a default is refused in `overrides`; CRDs are those of `crds/`
alone; and what its pods ask of nodes is not known. What a release lacks then is said, and the set counts it unproven.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from bedplate import charts
from bedplate.charts import DATA, cache_clear, names, sets, stated
from bedplate.components.archive import definitions, values
from bedplate.components.chart import Chart
from bedplate.lab.binaries import LabError, provide
from bedplate.lab.controllers.known import HELM
from bedplate.upgrades.records import releases
from tests.tools import crd_schemas, make_chart_images, make_chart_keys, make_pod_needs, probe_charts

CRD = "CustomResourceDefinition"


def learn(archive: Path, helm: Path | None) -> Iterator[str]:
    """Write the files of one release; what could not be known comes back."""
    chart, version = make_chart_keys.split(archive.stem)
    folder = DATA / chart / version
    folder.mkdir(parents=True, exist_ok=True)
    yield from images(archive)
    if helm:
        rendered = probe_charts.Chart(archive, helm)
        before = charts.measured(chart, make_chart_keys.FILE, sets.version(chart)) or {"keys": {}}
        live = {*probe_charts.probed(rendered), *probe_charts.carried(rendered, before["keys"])}
        make_chart_keys.write_text(folder / "probed.json", charts.written(sorted(live)))
        cache_clear()
    make_chart_keys.write(str(archive))
    if charts.pin(chart, Chart).get("groups"):
        yield from crds(archive, folder / crd_schemas.CRDS, helm)
        yield from record(chart, version)
    if helm:
        make_pod_needs.main([str(archive)])
    else:
        yield f"{archive.stem}: its maps are not probed, and its pods not rendered: there is no Helm"


def images(archive: Path) -> Iterator[str]:
    """What it pulls, by its own default values."""
    chart, _ = make_chart_keys.split(archive.stem)
    if not make_chart_images.told(chart):
        yield f"{archive.stem}: nobody has read which images its templates write ([images] of sources.toml)"
        return
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, f"{archive.stem}.yaml")
        file.write_text(values(archive.read_bytes(), archive.stem), encoding="utf-8")
        place, text = make_chart_images.document(file)
    make_chart_keys.write_text(DATA / place, text)


def crds(archive: Path, file: Path, helm: Path | None) -> Iterator[str]:
    """The fields of its kinds: of `crds/`, and with Helm of its templates."""
    texts = definitions(archive.read_bytes())
    if helm:
        chart, _ = make_chart_keys.split(archive.stem)
        given = json.dumps(stated(chart, "sources.toml").get("render", {}))
        command = [str(helm), "template", chart, str(archive), "--include-crds", "-f", "-"]
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
        texts += f"\n---\n{done.stdout}"
    every: list[Any] = list(yaml.load_all(texts, probe_charts.Loader))
    mine = {one["metadata"]["name"]: one for one in every if isinstance(one, dict) and one.get("kind") == CRD}
    with tempfile.TemporaryDirectory() as scratch:
        for name, one in mine.items():
            Path(scratch, f"{name}.yaml").write_text(yaml.safe_dump(one), encoding="utf-8")
        found = crd_schemas.kinds(Path(scratch))
    if found:
        file.write_text(crd_schemas.written(found), encoding="utf-8")
    else:
        yield f"{archive.stem}: no CRDs in its archive{'' if helm else ', but perhaps in its templates'}"


def record(chart: str, version: str) -> Iterator[str]:
    """The way to it, as nobody knows it yet."""
    if chart not in names("upgrades.toml"):
        return
    old = sets.version(chart)
    if version in releases(chart) or old not in releases(chart):
        yield f"{chart} {version}: no step is written: its record ends at {[*releases(chart), 'nothing'][-1]}"
        return
    step = {"old": old, "new": version, "verdict": "unknown"}
    lines = [f"{key} = {json.dumps(value)}" for key, value in step.items()]
    with (DATA / chart / "upgrades.toml").open("a", encoding="utf-8") as file:
        file.write("\n[[steps]]\n" + "\n".join([*lines, "do = []", 'sources = ["nobody has read its release notes"]']))
        file.write("\n")
    cache_clear()


def main() -> None:
    """Of each archive."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--without-helm", action="store_true")
    parser.add_argument("archives", nargs="+", type=Path, metavar="CHART-VERSION.tgz")
    options = parser.parse_args()
    try:
        helm = None if options.without_helm else provide(HELM)["helm"]
    except LabError as missing:
        sys.exit(f"{missing}; without Helm: --without-helm")
    for archive in options.archives:
        sys.stderr.writelines(f"{line}\n" for line in learn(archive, helm))


if __name__ == "__main__":
    main()
