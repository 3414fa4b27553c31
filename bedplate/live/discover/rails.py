"""Names of the rails' devices: of the whole fabric, or of each pool where nodes are wired differently."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from bedplate.cluster.objects import Object, part
from bedplate.live import kinds
from bedplate.live.discover.attachments import mappings, parsed
from bedplate.live.discover.machine import Machine
from bedplate.live.reading import Observed

PLUGINS = ("rdmaSharedDevicePlugin", "sriovDevicePlugin")
LAST = re.compile(r"-?(\d+)(\D.*)?$")


class Wiring(NamedTuple):
    """Devices in the order of the rails, and the labels of the nodes that have them."""

    selector: Mapping[str, str]
    names: tuple[str, ...]


def wirings(observed: Observed) -> list[Wiring]:
    """By virtual functions' policies, by networks, by the plug-ins' selectors: the first that names any."""
    functions = _grouped(observed.of(kinds.VIRTUAL_FUNCTIONS), _ports)
    networks = _grouped(observed.of(kinds.MACVLAN_NETWORK), _master)
    own = [Wiring(part(obj, "spec", "nodeSelector"), _chosen(obj)) for obj in observed.of(kinds.NIC_NODE_POLICY)]
    whole = [Wiring({}, _chosen(obj)) for obj in observed.of(kinds.NIC_CLUSTER_POLICY)]
    for wiring in (functions, networks, own, whole):
        if named := [obj for obj in wiring if obj.names]:
            return named
    return []


def _ports(policy: Object) -> list[str | None]:
    return list(part(policy, "spec", "nicSelector").get("pfNames") or ())


def _master(network: Object) -> list[str | None]:
    return [part(network, "spec").get("master")]


def _grouped(objects: Iterable[Object], names: Callable[[Object], list[str | None]]) -> list[Wiring]:
    """One for each set of nodes; networks name none, but what stands behind their rail's number tells them apart."""
    groups: dict[tuple[object, ...], tuple[Mapping[str, str], dict[int, str]]] = {}
    for obj in objects:
        number = LAST.search(obj["metadata"]["name"])
        chosen = part(obj, "spec", "nodeSelector")
        key = (*sorted(chosen.items()), "" if chosen else (number and number[2]) or "")
        rails = groups.setdefault(key, (chosen, {}))[1]
        for name in filter(None, names(obj)):
            rails[int(number[1]) if number else len(rails)] = name
    return [Wiring(chosen, tuple(rails[i] for i in sorted(rails))) for chosen, rails in groups.values()]


def _chosen(policy: Object) -> tuple[str, ...]:
    selected = (select for select in selectors(policy))
    return tuple(
        dict.fromkeys(name for select in selected for key in ("ifNames", "pfNames") for name in select.get(key) or ())
    )


def selectors(policy: Object) -> Iterator[Mapping[str, Any]]:
    """Of the device plugins' configurations, which are JSON within the operator's policies; none of a broken one."""
    for plugin in PLUGINS:
        config = parsed(part(policy, "spec", plugin).get("config")) or {}
        for entry in (*mappings(config.get("configList")), *mappings(config.get("resourceList"))):
            yield part(entry, "selectors")


def of_pool(obj: Machine, nics: int | None, grouped: Sequence[Wiring]) -> tuple[str, ...]:
    """By the labels of its nodes; else by how many NICs its shape has, if only one wiring has as many."""
    labelled = [wiring for wiring in grouped if wiring.selector and wiring.selector.items() <= obj.labels.items()]
    counted = [wiring for wiring in grouped if not wiring.selector and len(wiring.names) == nics]
    fitting = labelled or counted
    return fitting[0].names if len(fitting) == 1 else ()
