"""`bedplate releases update`: what is newer than the newest set, and in a checkout a new set of it.

A set is part of a Bedplate: keys, images, CRDs and records of its releases come with it, and the tests of the project
judge it. So a new one is written in a checkout or a fork alone, by the tools of CONTRIBUTING; from a wheel the command
says what is newer and keeps the archives (docs/decisions/0015).
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bedplate import charts
from bedplate.charts import sets
from bedplate.folders import INSTALLED, PROJECT
from bedplate.releases import new_set
from bedplate.releases.lookup import looked_up
from bedplate.releases.newer import Look
from bedplate.releases.published import Published
from bedplate.wrong import WrongError

TOOLS = PROJECT / "tests" / "tools"


@dataclass(frozen=True)
class Update:
    """What a run came to."""

    old: str
    looks: tuple[Look, ...]
    archives: Mapping[str, bytes]
    """Of charts, by the name of the file that a mirror has."""

    @property
    def moved(self) -> list[Look]:
        """What the new set has of another release."""
        return [look for look in self.looks if look.moves]

    @property
    def new(self) -> str:
        """The set that would be written; empty where it would say nothing else than the old one."""
        digests = any(look.digest and not sets.digest(look.name, look.to) for look in self.looks)
        return new_set.following(self.old, datetime.now(UTC).date()) if self.moved or digests else ""

    @property
    def problems(self) -> list[Look]:
        """What could not be looked up, or came otherwise than it should."""
        return [look for look in self.looks if look.problem]


def update(places: Published, of_all: Iterable[str]) -> Update:
    """Look everything up."""
    old = sets.newest()
    known = sets.pins(old)
    if unknown := [name for name in of_all if name not in known]:
        raise WrongError(f"--newest {unknown[0]}: nothing of version set {old}; use one of {', '.join(sorted(known))}")
    each = list(looked_up(old, places, of_all))
    archives = {f"{look.name}-{look.to}.tgz": archive for look, archive in each if archive}
    return Update(old, tuple(look for look, _ in each), archives)


def refuse_installed() -> None:
    """WrongError where no set can be written."""
    if INSTALLED or not TOOLS.is_dir():
        raise WrongError(
            "--write: sets come with Bedplate, and this one is installed: run it in a checkout or a fork of it,"
            " or keep the archives (--archives DIR)"
        )


def keep(found: Update, folder: Path) -> None:
    """The archives, as a mirror has them."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, archive in found.archives.items():
            (folder / name).write_bytes(archive)
    except OSError as error:
        raise WrongError(f"--archives {folder}: cannot be written: {error.strerror}") from error


def write(found: Update, *, rendered: bool) -> None:
    """What is known of each release that is new, then the set, then what was proven of it."""
    text = new_set.text(found.old, found.looks)
    with tempfile.TemporaryDirectory() as folder:
        keep(found, Path(folder))
        files = [file for look in found.moved if (file := Path(folder, f"{look.name}-{look.to}.tgz")).is_file()]
        if files:
            _tool("learn", *([] if rendered else ["--without-helm"]), *map(str, files))
    (sets.DATA / f"{found.new}.toml").write_text(text, encoding="utf-8")
    renovate = PROJECT / "renovate.json"
    before, after = (name.replace(".", "\\\\.") for name in (found.old, found.new))
    renovate.write_text(renovate.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")
    _tool("version_sets")
    charts.cache_clear()


def _tool(name: str, *words: str) -> None:
    """One of CONTRIBUTING's, which says on standard error what it cannot do."""
    command = [sys.executable, "-m", f"tests.tools.{name}", *words]
    done = subprocess.run(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603 - our own
    if done.returncode:
        raise WrongError(f"python -m tests.tools.{name}: exit status {done.returncode}; what is written so far stays")


def as_json(found: Update) -> dict[str, Any]:
    """What a machine reads."""
    return {"set": found.old, "new": found.new, "looked": [look.as_json() for look in found.looks]}
