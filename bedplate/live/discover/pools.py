"""Pools: nodes that are alike, and the labels that pick them and no others."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from bedplate.cluster.objects import Object, entries
from bedplate.components.platforms import PLATFORMS
from bedplate.live.discover import slices
from bedplate.live.discover.machine import Machine, is_control_plane, machine, offered
from bedplate.live.discover.rails import Wiring, of_pool, wirings
from bedplate.live.kinds import NODE
from bedplate.live.reading import Observed
from bedplate.stacks.hardware.gpus import GPUS
from bedplate.stacks.hardware.shapes import SHAPES, Shape

KNOWN = re.compile(r"(^|[./])(kubernetes\.io|k8s\.io|nvidia\.com|openshift\.io|k8s-sigs\.io)/")
POOL_WORD = re.compile(r"(^|[/-])(node-?)?(pool|group)$")
NEAR = 0.1
"""Part of a machine's memory that firmware and kernel may keep for themselves."""
GPU_TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
RAILED = ("infiniband", "roce")
NODE_STATE = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/")


Group = list[tuple[Object, Machine]]


def pools(observed: Observed, platform: str, net: dict[str, Any]) -> list[dict[str, Any]]:
    """Every pool as the profile writes it; where all are wired alike the fabric gets the names of the rails."""
    nodes = [node for node in observed.of(NODE) if not is_control_plane(node)] or list(observed.of(NODE))
    groups = grouped([(node, machine(node)) for node in nodes], PLATFORMS[platform].pool_label)
    taken: set[str] = set()
    drafted = [_pool(group, platform, taken) for group in groups]
    wired = wirings(observed) if net["kind"] in RAILED else []
    if len(wired) == 1:
        net["rails"] = list(wired[0].names)
    for pool, group in zip(drafted, groups, strict=True):
        _wire(pool, group[0][1], wired, net)
    return drafted


def _wire(pool: dict[str, Any], host: Machine, wired: Sequence[Wiring], net: Mapping[str, Any]) -> None:
    """Its rails where pools differ, and of a machine in no table its part in the fabric."""
    shape = SHAPES.get(pool["shape"]) if isinstance(pool["shape"], str) else None
    names = wired[0].names if len(wired) == 1 else of_pool(host, shape.nics if shape else None, wired)
    if len(wired) > 1 and names:
        pool["rails"] = list(names)
    if isinstance(pool["shape"], dict) and host.gpus and host.has_nics and (nics := len(names) or _ports(host, net)):
        pool["shape"] |= {"fabrics": [net["kind"]], "nics": nics}


def _ports(host: Machine, net: Mapping[str, Any]) -> int:
    """Where nobody names interfaces: as many as there are resources of them, and of one for all as many as GPUs."""
    if net["kind"] not in RAILED or not host.rdma:
        return 0
    return len(host.rdma) if len(host.rdma) > 1 else host.gpus


def grouped(machines: Group, pool_label: str | None) -> list[Group]:
    """By the cloud's own label or one of the site's, and by what the hardware is; pools without GPUs come first."""
    groups: dict[tuple[object, ...], Group] = {}
    for node, host in machines:
        groups.setdefault((named(host, pool_label), *host.fingerprint), []).append((node, host))
    return sorted(groups.values(), key=lambda group: group[0][1].gpus > 0)


def named(host: Machine, pool_label: str | None) -> tuple[str, str] | None:
    """The label that says its pool."""
    if pool_label:
        return (pool_label, host.labels[pool_label]) if pool_label in host.labels else None
    own = [
        (key, value) for key, value in sorted(host.labels.items()) if POOL_WORD.search(key) and not KNOWN.search(key)
    ]
    return next((pair for pair in own if not pair[0].startswith("bedplate/")), None)


def _pool(group: Group, platform: str, taken: set[str]) -> dict[str, Any]:
    host, label = group[0][1], PLATFORMS[platform].pool_label
    pool_label = named(host, label)
    pool: dict[str, Any] = {"name": _name(host, pool_label, taken), "shape": shape(host, platform), "nodes": len(group)}
    pool |= offered([member for _, member in group], platform)
    if pool_label and not label:
        pool["selector"] = dict([pool_label])
    if host.layouts:
        pool |= slices.written(host.layouts, host.whole)
    elif host.replicas > 1:
        pool["timeSlicing"] = host.replicas
    zones = sorted({zone for _, member in group if (zone := member.labels.get("topology.kubernetes.io/zone"))})
    if PLATFORMS[platform].cloud and host.gpus and zones:
        pool |= {"zone": zones[0]} if len(zones) == 1 else {"zones": zones}
    return pool | _taints(group[0][0], host)


def _name(host: Machine, pool_label: tuple[str, str] | None, taken: set[str]) -> str:
    """The label's, or the GPU's, or `system`; a second of that name gets a number."""
    model = next((name for name, gpu in GPUS.items() if gpu.product == host.product), host.product or "system")
    way = "-mig" if host.slices else "-shared" if host.replicas > 1 else ""
    name = re.sub(r"[^a-z0-9]+", "-", (pool_label[1] if pool_label else f"{model}{way}").lower()).strip("-")[:50]
    number = next(n for n in range(1, len(taken) + 2) if (f"{name}-{n}" if n > 1 else name) not in taken)
    taken.add(unique := f"{name}-{number}" if number > 1 else name)
    return unique


def _taints(node: Object, host: Machine) -> dict[str, Any]:
    """Only where they are others than the profile's own default."""
    there = [taint for taint in entries(node, "spec", "taints") if not taint["key"].startswith(NODE_STATE)]
    usual = [(GPU_TAINT["key"], GPU_TAINT["effect"])] if host.gpus else []
    if [(taint["key"], taint["effect"]) for taint in there] == usual:
        return {}
    return {"taints": [{key: taint[key] for key in ("key", "value", "effect") if taint.get(key)} for taint in there]}


def shape(host: Machine, platform: str) -> str | dict[str, Any]:
    """One of the table by its name, or by what it is; else the facts in full."""
    catalogued = SHAPES.get(host.kind or "")
    if catalogued and catalogued.cloud in (platform, None):
        return str(host.kind)
    alike = [name for name, row in SHAPES.items() if row.cloud is None and _is(row, host)]
    return alike[0] if alike else written(host)


def _is(row: Shape, host: Machine) -> bool:
    gpu = row.model.product if row.model else None
    same = (gpu, row.gpus, row.cpus, row.arch) == (host.product, host.gpus, host.cpus, host.arch)
    return same and bool(host.gpus) and 1 - NEAR <= host.memory_gib / row.memory_gib <= 1


def written(host: Machine) -> dict[str, Any]:
    """In full; the NICs stay open, as no label tells them."""
    facts: dict[str, Any] = {"cpus": host.cpus, "memoryGib": host.memory_gib}
    if host.arch != "amd64":
        facts["arch"] = host.arch
    return {"gpu": _gpu(host), "gpus": host.gpus, **facts} if host.gpus else facts


def _gpu(host: Machine) -> str | dict[str, Any]:
    name = next((name for name, gpu in GPUS.items() if gpu.product == host.product), None)
    if name or host.product is None:
        return name or "unknown"
    memory = round(int(host.labels.get("nvidia.com/gpu.memory", "0")) / 1024)
    described = {
        "product": host.product,
        "memoryGib": memory,
        "family": host.labels.get("nvidia.com/gpu.family", "hopper"),
    }
    return described | ({"mig": dict(host.layouts[0])} if len(set(map(str, host.layouts))) == 1 else {})


def unsure(drafted: Sequence[Mapping[str, Any]], observed: Observed) -> Iterator[str]:
    """What nodes do not tell of their pools."""
    if out := sum(map(is_control_plane, observed.of(NODE))):
        yield f"pools: {out} nodes of the control plane are left out, as nobody's pods may run there"
    for index, pool in enumerate(drafted):
        if not isinstance(pool["shape"], str) and "gpus" in pool["shape"]:
            counted = "a number of nics that is here is that of the rails or of their resources, else of the GPUs"
            yield f"pools[{index}].shape: nicGbps, nvlinkDomain and, where absent, nics: no label tells them; {counted}"
        if "migLayouts" in pool:
            yield f"pools[{index}].migLayouts: nodes tell how many slices, not on which GPU: compare with nvidia-smi -L"
    yield from _cut(map(machine, observed.of(NODE)))
    products = [_product(pool) for pool in drafted if "selector" not in pool]
    for product in {host for host in products if host and products.count(host) > 1}:
        yield f"pools: several have {product}, and no label of yours tells them apart: set one, and name it in selector"


def _cut(machines: Iterable[Machine]) -> Iterator[str]:
    """What their GPUs' slices leave open, once for each way of being cut."""
    for host in {(host.product, host.single, *sorted(host.slices)): host for host in machines if host.slices}.values():
        if host.single:
            here = f"here they are called nvidia.com/mig-{host.single}"
            yield f"pools: slices of {host.name} go by nvidia.com/gpu; {here}"
        elif host.cut_unlike:
            yield f"pools: GPUs of {host.name} are cut in several ways, and no label tells which: say it as migLayouts"


def _product(pool: Mapping[str, Any]) -> str | None:
    catalogued = SHAPES.get(pool["shape"]) if isinstance(pool["shape"], str) else None
    return catalogued.model.product if catalogued and catalogued.model else None
