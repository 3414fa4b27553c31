"""The files beside a profile: machines that stacks share (`hardware.file`), models of servers, objects of parts."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

TABLES = ("gpus", "shapes", "prices")


def files_beside(document: Mapping[str, Any]) -> Iterator[str]:
    """Their names, from the profile's folder; a profile that is not whole names what it can."""
    if name := hardware_file(document):
        yield name
    if name := images_file(document):
        yield name
    for server in _items(mapping(document.get("serving")).get("servers")):
        name = mapping(mapping(server).get("model")).get("config")
        if isinstance(name, str):
            yield name
    yield from (
        name for part in _items(document.get("extensions")) if isinstance(name := mapping(part).get("file"), str)
    )


def hardware_file(document: Mapping[str, Any]) -> str | None:
    """The file's name as the profile says it, from the folder of the profile's own."""
    name = mapping(document.get("hardware")).get("file")
    return name if isinstance(name, str) else None


def with_hardware(
    document: Mapping[str, Any], folder: Callable[[], Path], read: Callable[[Path, str], Mapping[str, Any]]
) -> dict[str, Any]:
    """The profile with the machines of its file in it; what it says itself goes first."""
    own, name = mapping(document.get("hardware")), hardware_file(document)
    if name is None:
        return dict(document)
    shared = read(folder() / name, name)
    merged = {key: {**mapping(shared.get(key)), **mapping(own.get(key))} for key in TABLES}
    rest = {key: value for key, value in {**shared, **own}.items() if key not in ("file", *TABLES)}
    return {**document, "hardware": {**rest, **merged}}


def images_file(document: Mapping[str, Any]) -> str | None:
    """The file of digests, as the profile says it."""
    name = mapping(document.get("images")).get("file")
    return name if isinstance(name, str) else None


def with_digests(
    document: Mapping[str, Any], folder: Callable[[], Path], read: Callable[[Path, str], Mapping[str, Any]]
) -> Mapping[str, Any]:
    """The profile with the digests of its file in it; what it says itself goes first."""
    own, name = mapping(document.get("images")), images_file(document)
    if name is None:
        return document
    shared = mapping(read(folder() / name, name).get("digests"))
    return {**document, "images": {"digests": {**shared, **mapping(own.get("digests"))}}}


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
