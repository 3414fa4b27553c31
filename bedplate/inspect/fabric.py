"""What of a machine's rails is other than its profile says. Pure."""

import re
from collections.abc import Iterator, Sequence

from bedplate.components.version import numbers
from bedplate.inspect.comparison import HOST, Comparison
from bedplate.inspect.lines import OFED, kind, rails
from bedplate.inspect.node import ON_SWITCH
from bedplate.inspect.rails import Port, ports
from bedplate.stacks.profile.fabrics import RailFabric, Roce
from bedplate.verify.node_log import OPEN

DMABUF = (5, 12)
"""The first kernel whose RDMA takes DMA-BUF (docs/hosts.md)."""
DATA_DIRECT = (6, 14)
"""The first for GPUDirect with ConnectX-8 on Grace (docs/hosts.md)."""
NO_P2PDMA = (1, 11, 2)
"""Talos' last release that is known to be without CONFIG_PCI_P2PDMA (siderolabs/talos#12021)."""
CONNECTX_8 = "1023"
Ports = Sequence[Port]


def of_fabric(it: Comparison, fabric: RailFabric) -> Iterator[str]:
    """By the rails that the profile names, as far as they are there; else by those that look like it."""
    names = {*(it.pool.hcas or fabric.hcas), *(it.pool.rails or fabric.rails)}
    mine = [port for port in ports(it.node) if names & {port.nic.name, port.nic.rail_interface}] or rails(it.node)
    yield from _count(it, fabric)
    yield from _names(it, fabric)
    yield from _links(it, mine)
    yield from _settings(it, fabric, mine)
    yield from _drivers(it, fabric)
    yield from _gpu_direct(it, mine)
    yield from _paths(it, mine)


def _count(it: Comparison, fabric: RailFabric) -> Iterator[str]:
    mine, there = rails(it.node), kind(it.node)
    if len(mine) != it.shape.nics:
        others = "; ".join(f"{port.nic.name}: {port.reason}" for port in ports(it.node) if not port.rail)
        effect, fix = (
            "`pools-ready` waits for as many devices",
            f"correct nics{f' (no rails: {others})' if others else ''}",
        )
        yield it("shape: nics", it.shape.nics, len(mine), effect, fix)
    if mine and there != fabric.kind:
        effect, fix = "the operators look for other ports", "set LINK_TYPE in the NICs' firmware, or correct the kind"
        yield it("/fabric.kind", fabric.kind, there, effect, fix)


def _names(it: Comparison, fabric: RailFabric) -> Iterator[str]:
    for key in ("rails", "hcas"):
        own: tuple[str, ...] | None = getattr(it.pool, key)
        names = list(getattr(fabric, key) if own is None else own)
        every, mine = ([_called(port, key) for port in some] for some in (ports(it.node), rails(it.node)))
        lost = ", ".join(name for name in names if name not in every)
        if lost or (key == "rails" and names and names != mine):
            effect = f"{lost} is missing on this node" if lost else "rail i is another NIC here than on other nodes"
            fix = f"pin names by PCI address (systemd.link), or say {key} of this pool"
            yield it(key if own else f"/fabric.{key}", names, mine, effect, fix)


def _called(port: Port, key: str) -> str:
    return port.nic.name if key == "hcas" else port.nic.rail_interface


def _links(it: Comparison, mine: Ports) -> Iterator[str]:
    if down := [port.nic.name for port in mine if not port.nic.active]:
        yield it(
            HOST, "a link on each rail", [*down, "down"], "jobs on it hang or fall back", "look at cable and switch"
        )
    slow = [
        f"{port.nic.name}={port.nic.gbps}" for port in mine if port.nic.active and port.nic.gbps < it.shape.nic_gbps
    ]
    if slow:
        effect, fix = (
            "a job is as slow as its slowest rail",
            "look at cable, transceiver and switch, or correct nicGbps",
        )
        yield it("shape: nicGbps", it.shape.nic_gbps, slow, effect, fix)
    if len(versions := {port.nic.firmware for port in mine}) > 1:
        yield it(HOST, "one firmware", versions, "NICs behave differently", "update it (mlxfwmanager)")


def _settings(it: Comparison, fabric: RailFabric, mine: Ports) -> Iterator[str]:
    mtu = fabric.mtu if isinstance(fabric, Roce) and fabric.exposure != "sriov" else None
    if small := [f"{port.nic.rail_interface}={port.nic.mtu}" for port in mine if 0 < port.nic.mtu < (mtu or 0)]:
        effect, fix = "the pods' networks are never made", "set it on host (netplan, NetworkManager) and switch"
        yield it("/fabric.mtu", mtu, small, effect, fix)
    few = [f"{port.nic.name}={port.nic.pci.vfs_most}" for port in mine if port.nic.pci.vfs_most < fabric.num_vfs]
    if fabric.exposure == "sriov" and few:
        effect, fix = "virtual functions are missing", "SR-IOV on in BIOS and firmware (NUM_OF_VFS: docs/hosts.md)"
        yield it("/fabric.numVfs", fabric.num_vfs, few, effect, fix)


def _drivers(it: Comparison, fabric: RailFabric) -> Iterator[str]:
    ofed, operators = it.node.modules.get("mlx5_core", ""), it.profile.network_operator
    if fabric.host_ofed and not OFED.match(ofed):
        there, fix = f"mlx5_core {ofed or 'of the kernel'}", "install DOCA-OFED, or leave hostOfed out"
        yield it("/fabric.hostOfed", "true", there, "nobody installs it", fix)
    if operators and operators.ofed and OFED.match(ofed) and "ofed" not in it.node.containers:
        fix = "hostOfed: true instead of networkOperator.ofed, or take the host's away"
        yield it("/networkOperator.ofed", "the operator's", f"mlx5_core {ofed}", "one replaces the other", fix)


def _gpu_direct(it: Comparison, mine: Ports) -> Iterator[str]:
    node, way, effect = it.node, it.profile.gpu_direct, "NICs do not read GPU memory"
    least = DATA_DIRECT if node.arch == "arm64" and any(port.nic.pci.device == CONNECTX_8 for port in mine) else DMABUF
    if way == "dmabuf" and tuple(map(int, re.findall(r"\d+", node.kernel)[:2])) < least:
        needed = f"it needs {least[0]}.{least[1]}"
        yield it("/gpuDirect", way, f"kernel {node.kernel}", needed, "a newer kernel, or gpuDirect: peermem")
    if way == "dmabuf" and node.os == "talos" and numbers(node.version) <= NO_P2PDMA:
        needed = "its kernel has no CONFIG_PCI_P2PDMA"
        yield it("/gpuDirect", way, f"Talos {node.version}", needed, "a newer Talos (docs/platforms/talos.md)")
    if way == "dmabuf" and node.nvidia and OPEN not in node.nvidia:
        fix = "install the open modules, or gpuDirect: peermem"
        yield it("/gpuDirect", way, "proprietary kernel modules", effect, fix)
    if way == "peermem" and node.nvidia and "nvidia_peermem" not in node.modules:
        yield it("/gpuDirect", way, "nvidia_peermem is not loaded", effect, "modprobe nvidia_peermem")


def _paths(it: Comparison, mine: Ports) -> Iterator[str]:
    if bridges := sorted((it.node.redirecting or frozenset()) & {way for port in mine for way in _between(it, port)}):
        effect = "GPUDirect goes up to the processor: half the rate or less"
        fix = "ACS off in the BIOS, or `setpci -s BRIDGE ECAP_ACS+6.w=0` at each start"
        yield it(HOST, "ACS off between GPU and NIC", ["ReqRedir on", *bridges], effect, fix)
    every = (*(port.nic.pci for port in mine), *(gpu.pci for gpu in it.node.gpus))
    if translated := {pci.iommu for pci in every} - {"", "identity"}:
        fix = "iommu=pt on the kernel's command line"
        yield it(HOST, "IOMMU off or iommu=pt", translated, "every DMA is translated", fix)


def _between(it: Comparison, port: Port) -> set[str]:
    """Bridges on the way from a NIC to the GPUs on its switch, without those above that switch."""
    near = [gpu for gpu in it.node.gpus if it.node.level(gpu, port.nic) in ON_SWITCH]
    return {way for gpu in near for way in set(gpu.pci.path[:-1]) ^ set(port.nic.pci.path[:-1])}
