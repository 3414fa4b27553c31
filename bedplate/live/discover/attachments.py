"""Networks that a site's people define themselves, and the addresses in them.

Anybody may have written them: what cannot be read is a doubt that is said, and never the end of the description.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Any

from bedplate.cluster.objects import part, place
from bedplate.live.kinds import ATTACHMENT, Kind
from bedplate.live.reading import Observed

RANGE = re.compile(r"([^-/]+)(?:-[^-/]+)?/(\d+)")
"""`192.168.2.225/28` or `192.168.2.10-192.168.2.20/24` (k8snetworkplumbingwg/whereabouts, README.md)."""


@dataclass(frozen=True)
class Stated:
    """A piece of JSON in a network, with where it stands."""

    where: str
    value: Mapping[str, Any]


def plugins(observed: Observed) -> Iterator[Stated]:
    """Every CNI plug-in of the attachments, those of a list (`plugins`) one by one."""
    for item in _read(observed, (ATTACHMENT,), "config"):
        listed = mappings(item.value.get("plugins"))
        yield from (Stated(item.where, plugin) for plugin in (listed or [item.value]))


def addresses(observed: Observed, networks: Iterable[Kind]) -> Iterator[Stated]:
    """What hands out addresses in the operators' networks and in the attachments."""
    yield from _read(observed, networks, "ipam")
    for plugin in plugins(observed):
        if ipam := mappings([plugin.value.get("ipam")]):
            yield Stated(plugin.where, ipam[0])


def ranges(ipam: Mapping[str, Any]) -> list[str]:
    """Whereabouts' ranges, as they are written: one, or a list of them (`ipRanges`)."""
    every = [ipam, *mappings(ipam.get("ipRanges"))]
    return [text for item in every if isinstance(text := item.get("range"), str)]


def network(text: str) -> IPv4Network | None:
    """The network of a range; None of IPv6, which a profile cannot say, and of what is none."""
    try:
        return IPv4Network("/".join(match.groups()), strict=False) if (match := RANGE.fullmatch(text.strip())) else None
    except ValueError:
        return None


def doubts(observed: Observed, networks: Iterable[Kind]) -> Iterator[str]:
    """What of all this could not be read."""
    kinds = tuple(networks)
    for field, some_kinds in (("config", (ATTACHMENT,)), ("ipam", kinds)):
        for kind in some_kinds:
            for item in observed.of(kind):
                if parsed(part(item, "spec").get(field)) is None:
                    yield f"fabric: {kind.kind} {'/'.join(place(item))}: its {field} is no JSON, and is not looked at"
    for item in addresses(observed, kinds):
        if item.value.get("type") != "whereabouts":
            continue
        if not (subnets := ranges(item.value)):
            yield f"fabric.ipam: {item.where}: it says no range, and is not looked at"
        for text in subnets:
            if network(text) is None:
                yield f"fabric.ipam: {item.where}: range {text} is not IPv4, and is not looked at"


def _read(observed: Observed, kinds: Iterable[Kind], field: str) -> Iterator[Stated]:
    for kind in kinds:
        for item in observed.of(kind):
            if value := parsed(part(item, "spec").get(field)):
                yield Stated("/".join(place(item)), value)


def parsed(text: object) -> dict[str, Any] | None:
    """A mapping in JSON, empty where nothing is written; None where it cannot be read."""
    try:
        value: object = json.loads(str(text or "{}"))
    except (ValueError, RecursionError):
        return None
    return next(iter(mappings([value])), None)


def mappings(value: object) -> list[dict[str, Any]]:
    """The entries of a list that are mappings."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType]


def texts(value: object) -> list[str]:
    """The entries of a list that are texts."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType]
