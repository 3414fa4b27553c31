"""Pools: nodes that are alike, and the labels that pick them and no others."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from bedplate.components.platforms import PLATFORMS
from bedplate.live.discover import slices
from bedplate.live.discover.machine import Machine, is_control_plane, machine
from bedplate.live.discover.offered import offered
from bedplate.live.discover.rails import Wiring, of_pool, wirings
from bedplate.live.kinds import NODE
from bedplate.live.reading import Object, Seen, entries
from bedplate.stacks.hardware.gpus import GPUS
from bedplate.stacks.hardware.shapes import SHAPES, Shape

KNOWN = re.compile(r"(^|[./])(kubernetes\.io|k8s\.io|nvidia\.com|openshift\.io|k8s-sigs\.io)/")
POOL_WORD = re.compile(r"(^|[/-])(node-?)?(pool|group)$")
NEAR = 0.1
"""Part of a machine's memory that firmware and kernel may keep for themselves."""
GPU_TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
NODE_STATE = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/")


Group = list[tuple[Object, Machine]]


def pools(seen: Seen, platform: str, net: dict[str, Any]) -> list[dict[str, Any]]:
    """Every pool as the profile writes it; where all are wired alike the fabric gets the names of the rails."""
    nodes = [node for node in seen.of(NODE) if not is_control_plane(node)] or list(seen.of(NODE))
    groups = grouped([(node, machine(node)) for node in nodes], PLATFORMS[platform].pool_label)
    taken: set[str] = set()
    found = [_pool(group, platform, taken) for group in groups]
    wired = wirings(seen) if net["kind"] in ("infiniband", "roce") else []
    if len(wired) == 1:
        net["rails"] = list(wired[0].names)
    for pool, group in zip(found, groups, strict=True):
        _wire(pool, group[0][1], wired, net)
    return found


def _wire(pool: dict[str, Any], one: Machine, wired: Sequence[Wiring], net: Mapping[str, Any]) -> None:
    """Its rails where pools differ, and of a machine in no table its part in the fabric."""
    shape = SHAPES.get(pool["shape"]) if isinstance(pool["shape"], str) else None
    names = wired[0].names if len(wired) == 1 else of_pool(one, shape.nics if shape else None, wired)
    if len(wired) > 1 and names:
        pool["rails"] = list(names)
    if isinstance(pool["shape"], dict) and one.gpus and names and one.has_nics:
        pool["shape"] |= {"fabrics": [net["kind"]], "nics": len(names)}


def grouped(machines: Group, pool_label: str | None) -> list[Group]:
    """By the cloud's own label or one of the site's, and by what the hardware is; pools without GPUs come first."""
    found: dict[tuple[object, ...], Group] = {}
    for node, one in machines:
        found.setdefault((named(one, pool_label), *one.fingerprint), []).append((node, one))
    return sorted(found.values(), key=lambda group: group[0][1].gpus > 0)


def named(one: Machine, pool_label: str | None) -> tuple[str, str] | None:
    """The label that says its pool."""
    if pool_label:
        return (pool_label, one.labels[pool_label]) if pool_label in one.labels else None
    own = [(key, value) for key, value in sorted(one.labels.items()) if POOL_WORD.search(key) and not KNOWN.search(key)]
    return next((pair for pair in own if not pair[0].startswith("bedplate/")), None)


def _pool(group: Group, platform: str, taken: set[str]) -> dict[str, Any]:
    one, label = group[0][1], PLATFORMS[platform].pool_label
    said = named(one, label)
    pool: dict[str, Any] = {"name": _name(one, said, taken), "shape": shape(one, platform), "nodes": len(group)}
    pool |= offered([each for _, each in group], platform)
    if said and not label:
        pool["selector"] = dict([said])
    if one.layouts:
        pool |= slices.written(one.layouts, one.whole)
    elif one.replicas > 1:
        pool["timeSlicing"] = one.replicas
    zones = sorted({zone for _, each in group if (zone := each.labels.get("topology.kubernetes.io/zone"))})
    if PLATFORMS[platform].cloud and one.gpus and zones:
        pool |= {"zone": zones[0]} if len(zones) == 1 else {"zones": zones}
    return pool | _taints(group[0][0], one)


def _name(one: Machine, said: tuple[str, str] | None, taken: set[str]) -> str:
    """The label's, or the GPU's, or `system`; a second of that name gets a number."""
    model = next((name for name, gpu in GPUS.items() if gpu.product == one.product), one.product or "system")
    way = "-mig" if one.slices else "-shared" if one.replicas > 1 else ""
    name = re.sub(r"[^a-z0-9]+", "-", (said[1] if said else f"{model}{way}").lower()).strip("-")[:50]
    number = next(n for n in range(1, len(taken) + 2) if (f"{name}-{n}" if n > 1 else name) not in taken)
    taken.add(found := f"{name}-{number}" if number > 1 else name)
    return found


def _taints(node: Object, one: Machine) -> dict[str, Any]:
    """Only where they are others than the profile's own default."""
    there = [taint for taint in entries(node, "spec", "taints") if not taint["key"].startswith(NODE_STATE)]
    usual = [(GPU_TAINT["key"], GPU_TAINT["effect"])] if one.gpus else []
    if [(taint["key"], taint["effect"]) for taint in there] == usual:
        return {}
    return {"taints": [{key: taint[key] for key in ("key", "value", "effect") if taint.get(key)} for taint in there]}


def shape(one: Machine, platform: str) -> str | dict[str, Any]:
    """One of the table by its name, or by what it is; else the facts in full."""
    known = SHAPES.get(one.kind or "")
    if known and known.cloud in (platform, None):
        return str(one.kind)
    alike = [name for name, row in SHAPES.items() if row.cloud is None and _is(row, one)]
    return alike[0] if alike else written(one)


def _is(row: Shape, one: Machine) -> bool:
    gpu = row.model.product if row.model else None
    same = (gpu, row.gpus, row.cpus, row.arch) == (one.product, one.gpus, one.cpus, one.arch)
    return same and bool(one.gpus) and 1 - NEAR <= one.memory_gib / row.memory_gib <= 1


def written(one: Machine) -> dict[str, Any]:
    """In full; the NICs stay open, as no label tells them."""
    facts: dict[str, Any] = {"cpus": one.cpus, "memoryGib": one.memory_gib}
    if one.arch != "amd64":
        facts["arch"] = one.arch
    return {"gpu": _gpu(one), "gpus": one.gpus, **facts} if one.gpus else facts


def _gpu(one: Machine) -> str | dict[str, Any]:
    name = next((name for name, gpu in GPUS.items() if gpu.product == one.product), None)
    if name or one.product is None:
        return name or "unknown"
    memory = round(int(one.labels.get("nvidia.com/gpu.memory", "0")) / 1024)
    known = {"product": one.product, "memoryGib": memory, "family": one.labels.get("nvidia.com/gpu.family", "hopper")}
    return known | ({"mig": dict(one.layouts[0])} if len(set(map(str, one.layouts))) == 1 else {})


def unsure(found: Sequence[Mapping[str, Any]], seen: Seen) -> Iterator[str]:
    """What nodes do not tell of their pools."""
    if out := sum(map(is_control_plane, seen.of(NODE))):
        yield f"pools: {out} nodes of the control plane are left out, as nobody's pods may run there"
    for index, pool in enumerate(found):
        if not isinstance(pool["shape"], str) and "gpus" in pool["shape"]:
            yield f"pools[{index}].shape: nicGbps, nvlinkDomain and, where absent, nics: no label tells them"
        if "migLayouts" in pool:
            yield f"pools[{index}].migLayouts: nodes tell how many slices, not on which GPU: compare with nvidia-smi -L"
    yield from _cut(map(machine, seen.of(NODE)))
    products = [_product(pool) for pool in found if "selector" not in pool]
    for product in {one for one in products if one and products.count(one) > 1}:
        yield f"pools: several have {product}, and no label of yours tells them apart: set one, and name it in selector"


def _cut(machines: Iterable[Machine]) -> Iterator[str]:
    """What their GPUs' slices leave open, once for each way of being cut."""
    for one in {(one.product, one.single, *sorted(one.slices)): one for one in machines if one.slices}.values():
        if one.single:
            yield f"pools: slices of {one.name} go by nvidia.com/gpu; here they are called nvidia.com/mig-{one.single}"
        elif one.cut_unlike:
            yield f"pools: GPUs of {one.name} are cut in several ways, and no label tells which: say it as migLayouts"


def _product(pool: Mapping[str, Any]) -> str | None:
    known = SHAPES.get(pool["shape"]) if isinstance(pool["shape"], str) else None
    return known.model.product if known and known.model else None
