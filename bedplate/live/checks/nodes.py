"""Nodes against their pools: all the devices, the labels and the taints that the profile says, and enough of them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bedplate.components.facts import NodePool
from bedplate.components.quantity import amount
from bedplate.components.verification.judge import node_faults
from bedplate.components.verification.pools import on_a_node, wanted_of
from bedplate.live.finding import Finding
from bedplate.live.kinds import NODE
from bedplate.live.reading import Object, Seen, entries, labels, part
from bedplate.live.wanted import Wanted

SHOWN = 3
PRODUCT, ZONE = "nvidia.com/gpu.product", "topology.kubernetes.io/zone"
SYSTEM_TAINTS = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "ToBeDeletedByClusterAutoscaler")
"""Kubernetes' own words for a node's state, which the conditions say as well."""
PRESSURE = ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")
STATES = {
    "nvidia.com/mig.config.state": ("failed", "its GPUs could not be cut into the profile's slices"),
    "nvidia.com/gpu-driver-upgrade-state": ("upgrade-failed", "the upgrade of its driver failed"),
}
"""Labels by which the GPU Operator says how a node does (NVIDIA/mig-parted; NVIDIA/k8s-operator-libs pkg/upgrade)."""
WHOLE = "jobs that ask for whole nodes wait for it, or land on fewer devices"
COUNT = "quotas, queues and addresses are made for the profile's number of nodes"
STRAY = "no queue and no agent counts on it: its GPUs are paid for and not used"


def nodes(wanted: Wanted, seen: Seen) -> Iterator[Finding]:
    """Of every pool, and those of none."""
    if not seen.knows(NODE):
        return
    found = seen.of(NODE)
    judged = [pool for pool in wanted.facts.pools if pool.selector]
    for pool in judged:
        mine = [node for node in found if of(pool, node)]
        yield from _numbers(pool, mine)
        yield from _faults(pool, mine, wanted_of(wanted.facts, pool) if on_a_node(wanted.facts, pool) else None)
    names = [name(node) for node in found if has_gpus(node) and not any(of(pool, node) for pool in judged)]
    if names:
        yield Finding("nodes", some(names), "has GPUs and the labels of no pool", STRAY)


def of(pool: NodePool, node: Object) -> bool:
    """Whether it is one of the pool's."""
    return pool.selector.items() <= labels(node).items()


def has_gpus(node: Object) -> bool:
    """By what it offers, or by what GPU Feature Discovery says."""
    offers = part(node, "status", "allocatable")
    return any(resource.startswith("nvidia.com/gpu") for resource in offers) or "nvidia.com/gpu.present" in labels(node)


def _numbers(pool: NodePool, mine: Sequence[Object]) -> Iterator[Finding]:
    fewest, most = pool.bounds[0], pool.most
    if len(mine) < fewest:
        chosen = ", ".join(f"{key}={value}" for key, value in pool.selector.items())
        yield Finding(
            "nodes", f"pool {pool.name}", f"{len(mine)} nodes carry its labels ({chosen}) and not {fewest}", COUNT
        )
    if len(mine) > most:
        yield Finding("nodes", f"pool {pool.name}", f"has {len(mine)} nodes, the profile says {most}", COUNT)


def _faults(pool: NodePool, mine: Sequence[Object], asked: Mapping[str, Any] | None) -> Iterator[Finding]:
    """The same fault of many nodes is one finding."""
    told: dict[str, list[str]] = {}
    for node in mine:
        for fault in (*(node_faults(asked, node) if asked else ()), *more_faults(pool, node)):
            told.setdefault(fault, []).append(name(node))
    for fault, names in told.items():
        yield Finding("nodes", f"pool {pool.name}: {some(names)}", fault, WHOLE)


def more_faults(pool: NodePool, node: Object) -> Iterator[str]:
    """What a deployment's own gate does not ask."""
    spec, said = part(node, "spec"), labels(node)
    if spec.get("unschedulable"):
        yield "is cordoned"
    yield from _taints(pool, entries(spec, "taints"))
    conditions = entries(node, "status", "conditions")
    yield from (f"has {one['type']}" for one in conditions if one["type"] in PRESSURE and one["status"] == "True")
    yield from (f"{text} ({label}={bad})" for label, (bad, text) in STATES.items() if said.get(label) == bad)
    for label, value in pool.labels.items():
        if said.get(label) != value:
            yield f"lacks the label {label}={value}"
    yield from _offers(pool, part(node, "status", "allocatable"))
    if pool.gpu_product and said.get(PRODUCT, pool.gpu_product) != pool.gpu_product:
        yield f"has {said[PRODUCT]}, the pool's shape {pool.gpu_product}"
    if pool.zones and said.get(ZONE, pool.zones[0]) not in pool.zones:
        yield f"is in zone {said[ZONE]}, the pool in {', '.join(pool.zones)}"


def _offers(pool: NodePool, offered: Mapping[str, str]) -> Iterator[str]:
    """Its kubelet leaves as much to pods as jobs, servers and quotas are reckoned from."""
    cpu, memory = pool.needed
    for name, needed in (("cpu", f"{cpu}m"), ("memory", f"{memory}Mi")):
        if name in offered and amount(offered[name]) < amount(needed):
            fix = "say pools[].allocatable as kubectl describe node shows it"
            yield f"offers pods {offered[name]} of {name}, a pod with the whole node needs {needed} there: {fix}"


def _taints(pool: NodePool, there: Sequence[Mapping[str, str]]) -> Iterator[str]:
    ours = {(str(taint["key"]), str(taint["effect"])) for taint in pool.taints}
    theirs = {(taint["key"], taint["effect"]) for taint in there}
    for key, effect in sorted(ours - theirs):
        yield f"lacks the taint {key}:{effect}, so that anybody's pods may take its processors"
    for key, effect in sorted(theirs - ours):
        if not key.startswith(SYSTEM_TAINTS) and effect != "PreferNoSchedule":
            yield f"has the taint {key}:{effect}, which the profile does not know and no pod of ours tolerates"


def name(node: Object) -> str:
    """Its name."""
    return str(node["metadata"]["name"])


def some(names: Sequence[str]) -> str:
    """The first of them."""
    rest = len(names) - SHOWN
    return ", ".join(sorted(names)[:SHOWN]) + (f" and {rest} more" if rest > 0 else "")
