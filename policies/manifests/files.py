"""The files below a path: all that may hold manifests, and a word for each that cannot be opened."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from bedplate.policies.manifests.documents import Fault

SUFFIXES = {".yaml", ".yml", ".json"}
NOT_LOOKED_INTO = {".git"}


@dataclass(frozen=True)
class Excluded:
    """A file that the user does not want judged."""

    file: Path


def found_in(path: Path, exclude: tuple[str, ...]) -> Iterator[Path | Excluded | Fault]:
    """A file itself, whatever its name; of a folder the YAML and JSON files below, in their order."""
    if not path.exists():
        yield Fault(None, f"{path}: there is no such file or folder")
    elif not path.is_dir():
        yield Excluded(path) if _named(path, path.parent, exclude) else path
    else:
        yield from _below(path, exclude)


def _below(top: Path, exclude: tuple[str, ...]) -> Iterator[Path | Excluded | Fault]:
    closed: list[OSError] = []
    files: list[Path] = []
    for folder, folders, names in os.walk(top, onerror=closed.append):
        folders[:] = [name for name in folders if name not in NOT_LOOKED_INTO]
        files += [Path(folder, name) for name in names if Path(name).suffix in SUFFIXES]
    yield from (Fault(None, f"{error.filename}: {error.strerror}") for error in closed)
    for file in sorted(files):
        yield Excluded(file) if _named(file, top, exclude) else file


def _named(file: Path, top: Path, exclude: tuple[str, ...]) -> bool:
    """Whether a pattern names the file or a folder on its way: by its path below the top, as given, or by its name."""
    below = file.relative_to(top)
    ways = [below, *list(below.parents)[:-1]]
    names = {str(way) for way in (file, *file.parents, *ways)} | {way.name for way in ways}
    return any(fnmatchcase(name, pattern.rstrip("/")) for pattern in exclude for name in names)


def upwards(folder: Path, name: str) -> Iterator[Path]:
    """The files of that name in a folder and those above it, up to the top of the git repository.

    Their paths stay as short as the way to them, since reports show them.
    """
    while True:
        if (folder / name).is_file():
            yield folder / name
        if (folder / ".git").exists() or folder.resolve() == folder.resolve().parent:
            return
        folder = folder / ".." if folder.name in ("", "..") else folder.parent
