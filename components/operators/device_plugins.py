"""Which RDMA device plugin advertises the fabric's NICs, and its configuration. One plugin per NIC, by construction."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bedplate.components.facts import Fabric, NodePool

MELLANOX = "15b3"


def shared_plugin_config(fabric: Fabric, pods_per_node: int, pools: Sequence[NodePool]) -> str:
    """`rdmaSharedDevicePlugin.config` for these pools: every HCA of the fabric under one name, to several pods."""
    (resource,) = fabric.devices
    prefix, name = resource.split("/")
    selectors: dict[str, Any] = {"vendors": [MELLANOX]}
    if fabric.rails:
        selectors["ifNames"] = list(dict.fromkeys(device for pool in pools for device in pool.interfaces))
    else:
        # Without names, by link type: storage HCAs run Ethernet where the fabric is InfiniBand.
        selectors["linkTypes"] = ["infiniband"]
    entry = {"resourceName": name, "resourcePrefix": prefix, "rdmaHcaMax": pods_per_node, "selectors": selectors}
    return json.dumps({"configList": [entry]})


def exclusive_plugin_config(fabric: Fabric, pools: Sequence[NodePool]) -> str:
    """`sriovDevicePlugin.config` for these pools: whole HCAs, a resource per rail where rails are named."""
    by_resource: dict[str, dict[str, None]] = {}
    for pool in pools:
        for rail, device in zip(fabric.rails, pool.interfaces, strict=False):
            by_resource.setdefault(rail.resource, {})[device] = None
    entries = [_entry(name, {"pfNames": list(devices)}) for name, devices in by_resource.items()]
    entries = entries or [_entry(name, {"linkTypes": ["infiniband"]}) for name in fabric.devices]
    return json.dumps({"resourceList": entries})


def _entry(resource: str, selectors: Mapping[str, Any]) -> dict[str, Any]:
    prefix, name = resource.split("/")
    return {
        "resourcePrefix": prefix,
        "resourceName": name,
        "selectors": {"vendors": [MELLANOX], "isRdma": True, **selectors},
    }
