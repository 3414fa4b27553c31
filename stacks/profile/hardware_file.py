"""Machines that several stacks share: a file beside the stack file, which `hardware.file` of the profile names."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

TABLES = ("gpus", "shapes", "prices")


def with_hardware(
    document: Mapping[str, Any], folder: Callable[[], Path], read: Callable[[Path, str], Mapping[str, Any]]
) -> dict[str, Any]:
    """The profile with the machines of its file in it; what it says itself goes first."""
    own = _mapping(document.get("hardware"))
    if not isinstance(name := own.get("file"), str):
        return dict(document)
    shared = read(folder() / name, name)
    merged = {key: {**_mapping(shared.get(key)), **_mapping(own.get(key))} for key in TABLES}
    rest = {key: value for key, value in {**shared, **own}.items() if key not in ("file", *TABLES)}
    return {**document, "hardware": {**rest, **merged}}


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
