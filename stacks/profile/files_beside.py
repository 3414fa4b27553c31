"""The files beside a profile: what stacks share (`hardware.file`, `images.file`), models of servers, parts."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

TABLES = {"hardware": ("gpus", "shapes", "prices"), "images": ("digests",)}
"""Of the sections that a file may hold: the tables of which it may have a part, and the profile another."""


def files_beside(document: Mapping[str, Any]) -> Iterator[str]:
    """Their names, from the profile's folder; a profile that is not whole names what it can."""
    yield from (name for section in TABLES if (name := shared_file(document, section)))
    for server in _items(mapping(document.get("serving")).get("servers")):
        name = mapping(mapping(server).get("model")).get("config")
        if isinstance(name, str):
            yield name
    yield from (
        name for part in _items(document.get("extensions")) if isinstance(name := mapping(part).get("file"), str)
    )


def shared_file(document: Mapping[str, Any], section: str) -> str | None:
    """The name of a section's file as the profile says it, from the folder of the profile's own."""
    name = mapping(document.get(section)).get("file")
    return name if isinstance(name, str) else None


def with_shared(
    document: Mapping[str, Any], folder: Callable[[], Path], read: Callable[[Path, str], Mapping[str, Any]]
) -> Mapping[str, Any]:
    """The profile with what these files hold in it; what it says itself goes first."""
    for section, tables in TABLES.items():
        own, name = mapping(document.get(section)), shared_file(document, section)
        if name is not None:
            shared = read(folder() / name, name)
            merged = {key: {**mapping(shared.get(key)), **mapping(own.get(key))} for key in tables}
            rest = {key: value for key, value in {**shared, **own}.items() if key not in ("file", *tables)}
            document = {**document, section: {**rest, **merged}}
    return document


def with_manifests(
    document: Mapping[str, Any], folder: Callable[[], Path], read: Callable[[Path, str], list[object]]
) -> Mapping[str, Any]:
    """The profile with the objects of its parts' files in it."""
    parts = _items(document.get("extensions"))
    if not any(mapping(part).get("file") for part in parts):
        return document
    return {**document, "extensions": [_in_full(part, folder, read) for part in parts]}


def _in_full(part: object, folder: Callable[[], Path], read: Callable[[Path, str], list[object]]) -> object:
    name = mapping(part).get("file")
    if not isinstance(name, str):
        return part
    rest = {key: value for key, value in mapping(part).items() if key != "file"}
    return {**rest, "manifests": [*_items(rest.get("manifests")), *read(folder() / name, name)]}


def _items(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def mapping(value: object) -> Mapping[str, Any]:
    """The value where it is one, else an empty one."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
