"""Version sets: what was proven together, by a name; one file a set, `<year>.<month>.toml`, beside the charts' folders.

The newest is what this Bedplate installs: a pin of a chart, a kustomization or an image stands there and nowhere else.
A set that another one follows never changes any more: `follows` has the digest of the file before it.

Versions, `images`, `kubernetes` and what an engine deployed (`deployed`) are written by hand, or by Renovate where the
line above a version says so. The rest of each entry is written from the chart's folder by
`python -m tests.tools.version_sets`: `facts`, a digest of what is known of that release; `driver`, the one that it
brings; what was proven of it here, and what was not.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent
NAME = re.compile(r"\d{4}\.\d{2}")


@cache
def known() -> tuple[str, ...]:
    """Every set, the oldest first."""
    return tuple(sorted(one.stem for one in DATA.glob("*.toml") if NAME.fullmatch(one.stem)))


def newest() -> str:
    """The one that is installed unless a profile names another."""
    return known()[-1]


@cache
def read(name: str) -> Mapping[str, Any]:
    """All that a set says; KeyError for a name that no set has."""
    if name not in known():
        raise KeyError(name)
    return tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))


def pins(name: str) -> Mapping[str, str]:
    """Versions of charts and kustomizations by their names, and tags of images by their repositories."""
    said = read(name)
    return {chart: entry["version"] for chart, entry in said["charts"].items()} | said["images"]


def version(chart: str) -> str:
    """What is installed of a chart or a kustomization by default."""
    return read(newest())["charts"][chart]["version"]


def image(repository: str) -> str:
    """The image of a repository that is run by default."""
    return f"{repository}:{read(newest())['images'][repository]}"


def digest(chart: str, release: str) -> str:
    """The digest of a chart's archive that some set states, as `sha256:…`; empty: nobody could fetch it yet."""
    entries = (read(name)["charts"].get(chart, {}) for name in known())
    return next((one["digest"] for one in entries if "digest" in one and one["version"] == release), "")


def kubernetes(name: str | None = None) -> tuple[str, str]:
    """The oldest and the newest minor version of Kubernetes that a set runs on."""
    low, high = read(name or newest())["kubernetes"]
    return low, high
