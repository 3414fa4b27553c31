"""Everything that is known of a chart by its name: a folder a chart, a file a question, read when somebody asks.

Written by hand:

* `release.toml`: what `Chart`, or `Manifests` without a chart, has besides its version, which the version sets say
  (`sets.py`); `workloads` by whose names a cluster that runs is known to have it, and why a lab only plays it
  (`played`);
* `danger.toml`: what a change of its release does to what runs (`bedplate/review/rules/stated.py`);
* `upgrades.toml`: what each step to a newer release asks for (`bedplate/upgrades/records.py`);
* `instead.toml`: what to write for a key that has no effect; `sources.toml`: what the tools below read.

Written by a tool in `tests/tools/`, for each release in a folder of its own unless said:

* `keys.json`: the values that its templates honour (`make_chart_keys`), and `probed.json`: the maps of them that take
  any key (`probe_charts`);
* `images.json`: what it pulls, by its values (`make_chart_images`); `pods.json`: what its pods ask of nodes
  (`make_pod_needs`, of what has no chart `make_kustomized_needs`);
* `crds.json`: the fields of its own kinds (`crd_schemas`);
* `fields.json` and `proven.json`, beside those folders: what came of its CRDs and of objects on the way (`upgrades`).

A folder that no set names is of a chart that other people install, or of images of manifests that have no release of
their own. The reader imports nothing of ours, so every room may ask it.
"""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path, PurePath
from typing import Any

from semver import Version

from bedplate.charts import sets

DATA = Path(__file__).parent


@cache
def names(file: str = "") -> tuple[str, ...]:
    """Every chart that has this file, or a folder at all, by its name."""
    return tuple(sorted(one.name for one in DATA.iterdir() if one.is_dir() and (one / file).exists()))


@cache
def releases(chart: str, file: str) -> tuple[str, ...]:
    """The releases of a chart that have this file, as they are spelt; none of a chart that nobody knows."""
    if chart not in names():
        return ()
    return tuple(sorted(one.parent.name for one in (DATA / chart).glob(f"*/{file}")))


@cache
def stated(chart: str, file: str) -> Mapping[str, Any]:
    """What people wrote of a chart in one of its `.toml` files; empty where it has none."""
    return tomllib.loads((DATA / chart / file).read_text(encoding="utf-8")) if chart in names(file) else {}


@cache
def measured(chart: str, file: str, release: str = "") -> Any:  # noqa: ANN401 - each file has a shape of its own
    """What a tool wrote of a chart or of one of its releases in a `.json` file; None where it has not looked."""
    there = release in releases(chart, file) if release else chart in names(file)
    return json.loads((DATA / chart / release / file).read_bytes()) if there else None


def of_folder(chart: str, file: str, folder: str) -> str:
    """The release with this file of what is kept in a folder: the one that the folder's name holds, or the only one.

    Empty where nobody knows.
    """
    known, last = releases(chart, file), PurePath(folder).name
    exact = [release for release in known if release in last] or known
    return exact[0] if len(exact) == 1 else ""


def pin(chart: str, of: type) -> dict[str, Any]:
    """What the newest set, the folder and `release.toml` say of the fields of a frozen dataclass."""
    kept = {field.name for field in fields(of)}
    version = sets.version(chart)
    said = {"version": version, "older": older(chart, version), **stated(chart, "release.toml")}
    return {key: tuple(value) if isinstance(value, list) else value for key, value in said.items() if key in kept}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def older(chart: str, version: str) -> tuple[str, ...]:
    """Releases before one of which we know what they pull, and so may be asked for, the oldest first."""
    known = {Version.parse(one.removeprefix("v")): one for one in releases(chart, "images.json")}
    return tuple(known[one] for one in sorted(known) if one < Version.parse(version.removeprefix("v")))


def written(content: object) -> str:
    """The text of a `.json` file: sorted, one key a line, so that a change is read in a diff."""
    return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def cache_clear() -> None:
    """For whoever has written a file."""
    for read in (names, releases, stated, measured, sets.known, sets.read):
        read.cache_clear()
