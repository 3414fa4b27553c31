"""`fleet.yaml` and the profiles that it names, read and judged; every fault is one line, and nothing is touched."""

import os
from collections.abc import Iterator, Mapping
from glob import glob, has_magic
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from bedplate.fleet.member import Formation, Member
from bedplate.fleet.model import Fleet, Source
from bedplate.fleet.repositories import checkout
from bedplate.fleet.waves import faults, waves
from bedplate.stacks.load import load_stack
from bedplate.stacks.profile.models import empty_sections
from bedplate.stacks.profile.named import ProfileFile
from bedplate.stacks.profile.problem import Problem, ProfileError, keyed
from bedplate.stacks.profile.stack_file import StackFiles, read_mapping
from bedplate.stacks.profile.validation import translated
from bedplate.wrong import WrongError

GUIDE = "docs/fleet.md"
PROJECT_FILE = "Pulumi.yaml"


def formation(file: Path) -> Formation:
    """The fleet of a file; raises WrongError with every fault."""
    fleet = _fleet(file)
    members, lines = list[Member](), list[str]()
    for key, source in keyed("clusters", fleet.clusters):
        try:
            places = list(_places(file, key, source))
        except WrongError as error:
            lines.append(str(error))
            continue
        for place in places:
            try:
                members.append(_member(key, source, place))
            except WrongError as error:
                lines.append(str(error))
    if lines:
        raise WrongError("\n".join(lines))
    formed = waves(fleet, members)
    if problems := list(faults(fleet, members, formed)):
        raise ProfileError(problems, str(file))
    return Formation(fleet, file, tuple(formed))


def _fleet(file: Path) -> Fleet:
    document: Mapping[str, Any] = read_mapping(file, str(file))
    if problems := list(empty_sections(document, Fleet)):
        raise ProfileError(problems, str(file))
    try:
        fleet = Fleet.model_validate(document, by_alias=True, by_name=False)
    except ValidationError as error:
        raise ProfileError(translated(error.errors(), Fleet, GUIDE), str(file)) from None
    for key, source in keyed("clusters", fleet.clusters):
        if source.repository and not source.revision:
            fix = "write the branch, the tag or, so that nothing moves by itself, the commit"
            raise ProfileError([Problem(f"{key}.revision", None, "required beside repository", fix)], str(file))
        if source.revision and not source.repository:
            fix = "name the repository, or take the revision out: these files are as they lie here"
            raise ProfileError([Problem(f"{key}.revision", source.revision, "of no repository", fix)], str(file))
    return fleet


def _places(file: Path, key: str, source: Source) -> Iterator[Path]:
    """The profiles that a source names, in the order of their names."""
    top = checkout(source.repository, source.revision) if source.repository and source.revision else file.parent
    if source.repository and (Path(source.path).is_absolute() or ".." in Path(source.path).parts):
        raise _wrong(
            file, f"{key}.path", source, "it leads out of the repository", "write it from the repository's top"
        )
    place = top / source.path
    if has_magic(source.path):
        names = sorted(glob(str(place), recursive=True))  # noqa: PTH207 - pathlib refuses one that begins with /
        places = [each for each in map(Path, names) if each.is_file() and each.name != PROJECT_FILE]
    elif place.is_dir():
        places = [each for each in sorted(place.glob("*.yaml")) if each.name != PROJECT_FILE]
    else:
        places = [place] if place.is_file() else []
    if not places:
        reason = "there is no such file" if not place.is_dir() else "the folder holds no profile (*.yaml)"
        raise _wrong(file, f"{key}.path", source, reason, f"it is looked for from {top}")
    yield from places


def _wrong(file: Path, key: str, source: Source, reason: str, fix: str) -> ProfileError:
    return ProfileError([Problem(key, source.path, reason, fix)], str(file))


def _member(key: str, source: Source, place: Path) -> Member:
    files, stack = _stack(place)
    return Member(key, files, stack, load_stack(stack, files), source)


def _stack(place: Path) -> tuple[StackFiles, str]:
    """A stack of the project that the file lies in; else a file that no engine deploys."""
    name = place.stem.removeprefix("Pulumi.")
    root = next((each for each in place.resolve().parents if (each / PROJECT_FILE).is_file()), None)
    if root:
        stated = read_mapping(root / PROJECT_FILE, PROJECT_FILE)
        files = StackFiles(root, str(stated.get("stackConfigDir") or ""), str(stated.get("name") or ""))
        if name in files.known() and files.place(name).resolve() == place.resolve():
            return files, name
    alone = ProfileFile(path=Path(os.path.relpath(place)))
    return alone, alone.stack
