"""Whose files hold the CRDs of a chart's release, and how they are had: upstream data, a clone, or Go's module proxy.

None of them is kept in this project. A clone is a bare one, `<owner>+<name>/repo`, and needed only to prove again what
nobody else serves; the module proxy serves those that the cluster tier proves again everywhere.
"""

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from bedplate.charts import names, stated
from bedplate.lab import LabError
from bedplate.lab.binaries import find_go
from bedplate.lab.sources import download
from tests.tools.fetch_upstream import DEFINITION, digest, parsed, read, stripped
from tests.upstream import UPSTREAM

Definitions = dict[str, dict[str, Any]]
"""By name."""


@dataclass(frozen=True)
class Origin:
    """Of one chart: `[crds]` of its `sources.toml` in `bedplate/charts/`."""

    repository: str
    folders: Sequence[str]
    """Where a release of it keeps its CRDs; of prometheus-operator-crds, whose are templates, the operator's are read."""
    tag: str = "v{}"
    module: str = ""
    """Whose source has the same files, where the module proxy serves it."""
    inside: str = ""
    """Folder of them in the module; empty: the same as in the repository."""
    operators: Mapping[str, str] = field(default_factory=dict[str, str])
    """`appVersion` of releases of a chart whose number is not their operator's."""
    upstream: str = ""
    """Its name in the data beside the project; empty: the chart's."""


ORIGINS = {
    chart: Origin(**crds) for chart in names("sources.toml") if (crds := stated(chart, "sources.toml").get("crds"))
}


@cache
def of_clone(chart: str, version: str, clones: Path) -> Definitions:
    """From a clone, as they are at the release's tag."""
    origin = ORIGINS[chart]
    git = ["git", "-C", str(clones / origin.repository.replace("/", "+") / "repo")]
    tag = origin.tag.format(version)
    listed = _output([*git, "ls-tree", "-r", "--name-only", tag, *(f"{folder}/" for folder in origin.folders)])
    texts = (_output([*git, "show", f"{tag}:{path}"]) for path in listed.split() if path.endswith(".yaml"))
    return _definitions(texts)


@cache
def of_module(chart: str, version: str, scratch: Path) -> Definitions:
    """From Go's module proxy; an error says why it cannot be had."""
    origin = ORIGINS[chart]
    release = origin.operators.get(version) or f"v{version.removeprefix('v')}"
    root = Path(download(find_go(), origin.module, release, scratch)["Dir"])
    folders = (origin.inside,) if origin.inside else origin.folders
    return _definitions(path.read_text() for folder in folders for path in sorted((root / folder).glob("*.yaml")))


def of_upstream(chart: str, version: str) -> Definitions:
    """From the data beside the project: of our pins, without kinds that no stack has."""
    folder = UPSTREAM / "crds" / f"{ORIGINS[chart].upstream or chart}-{version}"
    if not folder.is_dir():
        raise LabError(f"no upstream data of {chart} {version}")
    return {path.stem: read(path) for path in sorted(folder.glob("*.yaml"))}


def of_anyone(chart: str, version: str, scratch: Path) -> Definitions:
    """Without a clone: the module's where it is served, or the upstream data."""
    if ORIGINS[chart].module:
        try:
            return of_module(chart, version, scratch)
        except LabError as why:
            try:
                return of_upstream(chart, version)
            except LabError:
                raise why from None
    return of_upstream(chart, version)


def _definitions(texts: Iterator[str]) -> Definitions:
    """Without lines of templates and descriptions, which no API server needs."""
    return {found.name: found.content for text in texts if DEFINITION in text for found in parsed(text) if found}


def _output(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LabError(done.stderr.strip())
    return done.stdout


def fingerprint(definitions: Definitions) -> dict[str, str]:
    """Of each, what it says."""
    return {name: digest(stripped(one))[:16] for name, one in sorted(definitions.items())}
