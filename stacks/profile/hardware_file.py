"""Machines that several stacks share: a file beside the stack file, which `hardware.file` of the profile names."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

TABLES = ("gpus", "shapes", "prices")


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
    """The value, or nothing where it is no mapping: a profile that is not sound is for its validation."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
