"""Projects that are built where their own source lies: with the checksums and `replace` lines that they bring.

So the lab builds from what the released image was built from. Parts of the source that it reads, such as the chart of
that very release, are kept beside the binaries.
"""

import json
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bedplate.lab import LabError


@dataclass(frozen=True)
class Edit:
    """A change of one line of source: what a container's file system or network gives, a process on loopback lacks."""

    path: str
    old: str
    new: str


@dataclass(frozen=True)
class Borrowed:
    """A module of the same project that lies in its repository, but not in what the proxy serves of it."""

    path: str
    """Where go.mod looks for it."""
    module: str
    version: str


@dataclass(frozen=True)
class Source:
    """How a project's source is made ready to be built in."""

    keeps: tuple[str, ...]
    """Folders that are kept beside the binaries, each under its own path."""
    edits: tuple[Edit, ...] = ()
    borrowed: tuple[Borrowed, ...] = ()

    def unpack(self, go: str, module: str, version: str, root: Path) -> None:
        """The source as it is built, in `root`."""
        _copy(download(go, module, version, root)["Dir"], root)
        for file in self.borrowed:
            _copy(download(go, file.module, file.version, root)["Dir"], root / file.path)
        apply_edits(self.edits, root)

    def keep(self, root: Path, target: Path) -> None:
        """Copy what the lab reads later."""
        for part in self.keeps:
            shutil.copytree(root / part, target / part)


def download(go: str, module: str, version: str, scratch: Path) -> dict[str, str]:
    """What the module proxy gives: `Dir`, a read-only folder, and `GoMod`; an error says why it cannot be had."""
    command = [go, "mod", "download", "-json", f"{module}@{version}"]
    done = subprocess.run(
        command, cwd=scratch.anchor, capture_output=True, text=True, check=False
    )  # no go.mod there: one would take part
    answer: dict[str, str] = json.loads(done.stdout or "{}")
    if done.returncode or "GoMod" not in answer:
        raise LabError(f"{module} {version} cannot be had: {answer.get('Error') or done.stderr}")
    return answer


def _copy(source: str, target: Path) -> None:
    """To where it can be written to: the module cache is read-only, and other builds read it."""
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(Path(source).rglob("*")):
        copy = target / path.relative_to(source)
        if path.is_dir():
            copy.mkdir(exist_ok=True)
        else:
            shutil.copyfile(path, copy)


def apply_edits(edits: Iterable[Edit], root: Path) -> None:
    """Change the lines; one that is not there once is an error, as the source is another than we know."""
    for edit in edits:
        path = root / edit.path
        text = path.read_text()
        if text.count(edit.old) != 1:
            raise LabError(f"{edit.path} no longer has this line once, which the lab must change: {edit.old}")
        path.write_text(text.replace(edit.old, edit.new))
