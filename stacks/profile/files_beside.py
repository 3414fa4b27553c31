"""The files beside a profile: machines that stacks share (`hardware.file`), and the models of its servers."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

TABLES = ("gpus", "shapes", "prices")


def files_beside(document: Mapping[str, Any]) -> Iterator[str]:
    """Their names, from the profile's folder; a profile that is not whole names what it can."""
    if name := hardware_file(document):
        yield name
    servers = mapping(document.get("serving")).get("servers")
    for server in cast("list[object]", servers) if isinstance(servers, list) else ():
        name = mapping(mapping(server).get("model")).get("config")
        if isinstance(name, str):
            yield name


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


def mapping(value: object) -> Mapping[str, Any]:
    """The value where it is one, else an empty one."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
