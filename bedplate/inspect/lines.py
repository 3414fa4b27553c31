"""What a profile says of such a machine, ready to be pasted, with what the machine does not tell in comments."""

import re
from collections.abc import Sequence
from typing import Any

from bedplate.catalog import gpus as catalog
from bedplate.inspect.node import Node
from bedplate.inspect.rails import Port, ports
from bedplate.live.discover import pools
from bedplate.live.discover.machine import Machine
from bedplate.stacks.hardware.shapes import SHAPES
from bedplate.verify.node_log import VERSION

SYSTEMS = {"ubuntu": "ubuntu", "rhel": "rhel", "rocky": "rocky", "sles": "sles", "rhcos": "rhcos", "talos": "talos"}
"""`ID` of os-release, and what `nodeOs` calls it."""
OFED = re.compile(r"\d\d\.\d\d[-.]")
"""DOCA-OFED's version of mlx5_core (`24.10-1.1.4`); the kernel's own has none since 5.7, and `5.0-0` before."""
KINDS = {"InfiniBand": "infiniband", "Ethernet": "roce"}


def rails(node: Node) -> tuple[Port, ...]:
    """Those of its NICs that are rails."""
    return tuple(port for port in ports(node) if port.rail)


def kind(node: Node) -> str:
    """Which fabric its rails form; EFA's interfaces have none of their own."""
    if any(nic.pci.driver == "efa" for nic in node.nics):
        return "efa"
    return next((KINDS.get(rail.nic.link, "none") for rail in rails(node)), "none")


def driver(node: Node) -> str:
    """Version of the driver that is loaded."""
    version = VERSION.search(node.nvidia)
    return version[1] if version else "an unknown one"


def shape(node: Node) -> str | dict[str, Any]:
    """A name of docs/hardware.md where the machine is that one with its NICs; else in full."""
    product = node.gpus[0].product if node.gpus else ""
    memory = node.gpus[0].memory_mib if node.gpus else 0
    labels = {"kubernetes.io/arch": node.arch, "nvidia.com/gpu.count": str(len(node.gpus))}
    if product:
        labels |= {"nvidia.com/gpu.product": product, "nvidia.com/gpu.memory": str(memory)}
        labels |= {"nvidia.com/gpu.family": catalog.family(product) or "unknown"}
    shape = pools.shape(Machine(node.name, labels, {"cpu": str(node.cpus), "memory": f"{node.memory_gib}Gi"}), "")
    nics = _nics(node)
    if isinstance(shape, str):
        row = SHAPES[shape]
        if (row.nics, row.nic_gbps, row.extra_hcas) == tuple(nics.get(key, 0) for key in NICS):
            return shape
        shape = {"gpu": row.gpu, "gpus": row.gpus, "cpus": node.cpus, "memoryGib": node.memory_gib}
        shape |= {"arch": node.arch} if node.arch != "amd64" else {}
    return shape | nics | ({"nvlinkDomain": joined} if (joined := nvlink(node)) > 1 else {})


NICS = ("nics", "nicGbps", "extraHcas")


def _nics(node: Node) -> dict[str, Any]:
    mine = rails(node)
    others = sum(not port.rail and port.nic.pci.vendor == "15b3" and not port.nic.pci.parent for port in ports(node))
    speeds = [port.nic.gbps for port in mine if port.nic.gbps]
    named = {"fabrics": [kind(node)], "nics": len(mine), "nicGbps": min(speeds, default=0)} if mine else {}
    return named | ({"extraHcas": others} if others else {})


def nvlink(node: Node) -> int:
    """GPUs that share NVLink: by the catalogue no more than there are, but in racks; more where nvidia-smi says so."""
    model = catalog.near(node.gpus[0].product) if node.gpus else None
    if model and model.rack:
        return model.nvlink
    joined = max((node.joined(gpu) or 1 for gpu in node.gpus), default=1)
    return max(joined, min(model.nvlink, len(node.gpus)) if model else 1)


def fragment(nodes: Sequence[Node], name: str) -> dict[str, Any]:
    """Keys of the profile, of machines that are alike."""
    node, mine = nodes[0], rails(nodes[0])
    pool: dict[str, Any] = {"name": name, "shape": shape(node), "nodes": len(nodes)}
    fabric: dict[str, Any] = {"kind": kind(node)}
    if names := [port.nic.rail_interface for port in mine if port.nic.rail_interface]:
        pool["rails"] = names
    if mine and len(mine) < len(node.nics):
        pool["hcas"] = [port.nic.name for port in mine]
    if mine and kind(node) == "roce" and (mtus := {port.nic.mtu for port in mine} - {0}):
        fabric["mtu"] = min(mtus)
    if OFED.match(node.modules.get("mlx5_core", "")) and "ofed" not in node.containers:
        fabric["hostOfed"] = True
    system = {"nodeOs": SYSTEMS[node.os]} if node.os in SYSTEMS else {}
    owner = (
        {"driverOwner": "image" if node.nvidia and "driver" not in node.containers else "operator"} if node.gpus else {}
    )
    return {**system, **owner, "pools": [pool], "fabric": fabric}
