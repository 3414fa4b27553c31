"""Write what follows from the charts' folders into the newest version set: what was proven of each entry, and what not.

    python -m tests.tools.version_sets [--archives DIR]

With a folder of `<chart>-<version>.tgz`, as their publishers have them, it writes their digests, too: what comes later
must have the same before anything of it is applied.

Older sets are never written: a newer one has their digest. A new set begins as a copy of the newest, with other versions
and `follows = {set = "2026.11", digest = "..."}`, the digest that this prints.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from bedplate import charts
from bedplate.charts import sets
from bedplate.components.chart import Chart
from bedplate.lab.controllers.known import CONTROLLERS
from bedplate.stacks.profile.charts import installable
from bedplate.stacks.profile.profile import Profile
from bedplate.upgrades.proofs import proof
from bedplate.upgrades.records import recorded

WRITTEN = re.compile(r"^(?:driver|proven|unproven) = .*\n", re.MULTILINE)
ENTRY = re.compile(r"^\[charts\.(?P<chart>[^\]]+)\]\n(?P<body>(?:(?!\[).*\n?)*)", re.MULTILINE)
REAL = CONTROLLERS.keys() | {one.chart.rpartition("/")[2] for one in CONTROLLERS.values()}
"""Charts and kustomizations whose own controllers run in the lab, at the newest set's version."""
INSTALLED = {one.name: one for one in installable(Profile).values()}


def digest(name: str) -> str:
    """Of a set's file."""
    return f"sha256:{sha256((sets.DATA / f'{name}.toml').read_bytes()).hexdigest()}"


def evidence(name: str, chart: str) -> dict[str, bool]:
    """Each proof that an entry can have, and whether it is there."""
    entry: dict[str, Any] = sets.read(name)["charts"][chart]
    release = _folder(chart, entry["version"])
    brings = INSTALLED[chart]
    asked = {"images": _has(chart, release, "images.json"), "pods": _has(chart, release, "pods.json")}
    if isinstance(brings, Chart):
        keys = charts.measured(chart, "keys.json", release)
        asked |= {"keys": bool(keys), "rendered keys": bool(keys) and "helm template" in keys["source"]}
        asked["digest"] = "digest" in entry
    if brings.groups and isinstance(brings, Chart):
        asked["crds"] = _has(chart, release, "crds.json")
        asked["upgrade"] = any(entry["version"] == step.new and proof(step) for step in recorded(chart))
    if brings.groups:
        asked["lab"] = chart in REAL and entry["version"] == sets.version(chart)
    return asked | {"engine": chart in sets.read(name)["deployed"]["charts"]}


def _folder(chart: str, version: str) -> str:
    """The folder of a release, which some spell without the `v`."""
    there = (charts.DATA / chart / spelt for spelt in (version, version.removeprefix("v")))
    return next((one.name for one in there if one.is_dir()), version)


def _has(chart: str, release: str, file: str) -> bool:
    return release in charts.releases(chart, file)


def lines(name: str, chart: str) -> Iterator[str]:
    """What a set's entry says of itself."""
    version = sets.read(name)["charts"][chart]["version"]
    images: dict[str, Any] = charts.measured(chart, "images.json", _folder(chart, version)) or {"defaults": {}}
    if driver := images["defaults"].get("driver.version"):
        yield f'driver = "{driver}"'
    asked = evidence(name, chart)
    yield f"proven = {json.dumps([one for one in asked if asked[one]])}"
    yield f"unproven = {json.dumps([one for one in asked if not asked[one]])}"


def rewritten(name: str) -> str:
    """The text of a set with all that follows."""

    def entry(found: re.Match[str]) -> str:
        body = WRITTEN.sub("", found["body"]).rstrip("\n")
        return "\n".join([f"[charts.{found['chart']}]", body, *lines(name, found["chart"])]) + "\n\n"

    return f"{ENTRY.sub(entry, (sets.DATA / f'{name}.toml').read_text()).rstrip()}\n"


def with_digests(name: str, archives: Path) -> str:
    """The text of a set with the digests of the archives that are there."""

    def entry(found: re.Match[str]) -> str:
        version = sets.read(name)["charts"][found["chart"]]["version"]
        archive = archives / f"{found['chart']}-{version}.tgz"
        if not archive.is_file():
            return found[0]
        line = f'digest = "sha256:{sha256(archive.read_bytes()).hexdigest()}"\n'
        body = re.sub(r"^digest = .*\n", "", found["body"], flags=re.MULTILINE)
        return f"[charts.{found['chart']}]\n{body.rstrip()}\n{line}\n"

    return ENTRY.sub(entry, (sets.DATA / f"{name}.toml").read_text())


def main() -> None:
    """Write the newest set."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--archives", metavar="DIR", type=Path)
    options = parser.parse_args()
    newest = sets.newest()
    if options.archives:
        (sets.DATA / f"{newest}.toml").write_text(with_digests(newest, options.archives))
        charts.cache_clear()
    (sets.DATA / f"{newest}.toml").write_text(rewritten(newest))
    sys.stdout.write(f"{newest} {digest(newest)}\n")


if __name__ == "__main__":
    main()
