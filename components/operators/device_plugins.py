"""Which RDMA device plugin advertises the fabric's NICs, and its configuration. One plugin per NIC, by construction."""

import json
from collections.abc import Mapping
from typing import Any

from components.facts import Fabric

MELLANOX = "15b3"


def shared_plugin_config(fabric: Fabric, pods_per_node: int) -> str:
    """`rdmaSharedDevicePlugin.config`: every HCA of the fabric under one name, to several pods at once."""
    (resource,) = fabric.devices
    prefix, name = resource.split("/")
    selectors: dict[str, Any] = {"vendors": [MELLANOX]}
    if fabric.rails:
        selectors["ifNames"] = [rail.interface for rail in fabric.rails]
    else:
        # Without names, by link type: storage HCAs run Ethernet where the fabric is InfiniBand.
        selectors["linkTypes"] = ["infiniband"]
    entry = {"resourceName": name, "resourcePrefix": prefix, "rdmaHcaMax": pods_per_node, "selectors": selectors}
    return json.dumps({"configList": [entry]})


def exclusive_plugin_config(fabric: Fabric) -> str:
    """`sriovDevicePlugin.config`: whole HCAs, a resource per rail where the rails are named, else one for all."""
    by_resource: dict[str, list[str]] = {}
    for rail in fabric.rails:
        by_resource.setdefault(rail.resource, []).append(rail.interface)
    entries = [_entry(name, {"pfNames": interfaces}) for name, interfaces in by_resource.items()]
    entries = entries or [_entry(name, {"linkTypes": ["infiniband"]}) for name in fabric.devices]
    return json.dumps({"resourceList": entries})


def _entry(resource: str, selectors: Mapping[str, Any]) -> dict[str, Any]:
    prefix, name = resource.split("/")
    return {
        "resourcePrefix": prefix,
        "resourceName": name,
        "selectors": {"vendors": [MELLANOX], "isRdma": True, **selectors},
    }
