"""The files beside a profile that it is read from: its own hardware, and the models of its servers."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from bedplate.stacks.profile.hardware_file import hardware_file, mapping


def files_beside(document: Mapping[str, Any]) -> Iterator[str]:
    """Their names, from the profile's folder; a profile that is not whole names what it can."""
    if name := hardware_file(document):
        yield name
    servers = mapping(document.get("serving")).get("servers")
    for server in cast("list[object]", servers) if isinstance(servers, list) else ():
        name = mapping(mapping(server).get("model")).get("config")
        if isinstance(name, str):
            yield name
