"""Nodes against their pools: all the devices, the labels and the taints that the profile says, and enough of them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bedplate.cluster.objects import Object, conditions, entries, is_true, labels, message, name, part
from bedplate.components.facts import NodePool
from bedplate.components.quantity import amount
from bedplate.components.verification.judge import node_faults
from bedplate.components.verification.pools import on_a_node, required_of
from bedplate.live.desired import Desired
from bedplate.live.finding import Finding, finding
from bedplate.live.kinds import NODE
from bedplate.live.reading import Observed

SHOWN = 3
PRODUCT, ZONE = "nvidia.com/gpu.product", "topology.kubernetes.io/zone"
SYSTEM_TAINTS = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "ToBeDeletedByClusterAutoscaler")
"""Kubernetes' own words for a node's state, which the conditions say as well."""
CORDONED = "is cordoned"
PRESSURE = ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")
HEALTHY_WHEN_TRUE = "Ready"
"""How the type of such a condition ends: `Ready`, and `AcceleratedHardwareReady` of EKS' node monitoring agent
(docs.aws.amazon.com/eks/latest/userguide/node-health.html). All others name a fault, as Node Problem Detector's do."""
STATES = {
    "nvidia.com/mig.config.state": ("failed", "its GPUs could not be cut into the profile's slices"),
    "nvidia.com/gpu-driver-upgrade-state": ("upgrade-failed", "the upgrade of its driver failed"),
}
"""Labels by which the GPU Operator says how a node does (NVIDIA/mig-parted; NVIDIA/k8s-operator-libs pkg/upgrade)."""


def nodes(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """Pools with too few, too many or faulty nodes, and nodes with GPUs in no pool."""
    if not observed.knows(NODE):
        return
    pools = [pool for pool in desired.facts.pools if pool.selector]
    for pool in pools:
        members = [node for node in observed.of(NODE) if is_of_pool(node, pool)]
        yield from _numbers(pool, members)
        yield from _faults(pool, members, required_of(desired.facts, pool) if on_a_node(desired.facts, pool) else None)
    stray = [node for node in observed.of(NODE) if has_gpus(node) and not any(is_of_pool(node, pool) for pool in pools)]
    if stray:
        yield finding("nodes.stray", abridged(list(map(name, stray))))


def is_of_pool(node: Object, pool: NodePool) -> bool:
    """Whether a node carries the labels of the pool's selector."""
    return pool.selector.items() <= labels(node).items()


def has_gpus(node: Object) -> bool:
    """Whether the kubelet advertises GPUs, or GPU Feature Discovery says that there are some."""
    offers = part(node, "status", "allocatable")
    return any(resource.startswith("nvidia.com/gpu") for resource in offers) or "nvidia.com/gpu.present" in labels(node)


def _numbers(pool: NodePool, members: Sequence[Object]) -> Iterator[Finding]:
    fewest, most, number = pool.bounds[0], pool.most, len(members)
    if number < fewest:
        selector = ", ".join(f"{key}={value}" for key, value in pool.selector.items())
        yield finding("nodes.few", f"pool {pool.name}", number=number, selector=selector, fewest=fewest)
    if number > most:
        yield finding("nodes.many", f"pool {pool.name}", number=number, most=most)


def _faults(pool: NodePool, members: Sequence[Object], gate: Mapping[str, Any] | None) -> Iterator[Finding]:
    """The same fault of many nodes is one finding; `gate` is what a deployment's own gate asks of each node."""
    nodes_by_fault: dict[str, list[str]] = {}
    for node in members:
        for fault in (*(node_faults(gate, node) if gate else ()), *more_faults(pool, node)):
            nodes_by_fault.setdefault(fault, []).append(name(node))
    for fault, names in nodes_by_fault.items():
        yield finding("nodes.fault", f"pool {pool.name}: {abridged(names)}", fault=fault)


def more_faults(pool: NodePool, node: Object) -> Iterator[str]:
    """Faults of a node that a deployment's own gate does not ask about."""
    spec, own = part(node, "spec"), labels(node)
    if spec.get("unschedulable"):
        yield CORDONED
    yield from _taints(pool, entries(spec, "taints"))
    yield from (f"has {pressure}" for pressure in conditions(node) if pressure in PRESSURE and is_true(node, pressure))
    yield from map(described, filter(is_fault, conditions(node).values()))
    yield from (f"{text} ({label}={bad})" for label, (bad, text) in STATES.items() if own.get(label) == bad)
    yield from (f"lacks the label {key}={value}" for key, value in pool.labels.items() if own.get(key) != value)
    yield from _offers(pool, part(node, "status", "allocatable"))
    if pool.gpu_product and own.get(PRODUCT, pool.gpu_product) != pool.gpu_product:
        yield f"has {own[PRODUCT]}, the pool's shape {pool.gpu_product}"
    if pool.zones and own.get(ZONE, pool.zones[0]) not in pool.zones:
        yield f"is in zone {own[ZONE]}, the pool in {', '.join(pool.zones)}"


def is_fault(condition: Object) -> bool:
    """A condition that somebody's detector has set: Kubernetes' own are said besides.

    `Unknown` of a fault is none: a detector that cannot look finds nothing.
    """
    kind = str(condition.get("type"))
    if kind in (*PRESSURE, "Ready"):
        return False
    return (condition.get("status") == "True") != kind.endswith(HEALTHY_WHEN_TRUE)


def described(condition: Object) -> str:
    """As people read it."""
    kind, status = str(condition.get("type")), str(condition.get("status"))
    if kind == "Ready" and status == "True":
        return "Ready"
    return f"{kind} is {status}: {message(condition)}"


def _offers(pool: NodePool, offered: Mapping[str, str]) -> Iterator[str]:
    """Whether the kubelet leaves to pods what jobs, servers and quotas count on."""
    cpu, memory = pool.needed
    for resource, needed in (("cpu", f"{cpu}m"), ("memory", f"{memory}Mi")):
        if resource in offered and amount(offered[resource]) < amount(needed):
            what = f"offers pods {offered[resource]} of {resource}, a pod with the whole node needs {needed} there"
            yield f"{what}: say pools[].allocatable as kubectl describe node shows it"


def _taints(pool: NodePool, taints: Sequence[Mapping[str, str]]) -> Iterator[str]:
    desired = {(str(taint["key"]), str(taint["effect"])) for taint in pool.taints}
    observed = {(taint["key"], taint["effect"]) for taint in taints}
    for key, effect in sorted(desired - observed):
        yield f"lacks the taint {key}:{effect}, so that anybody's pods may take its processors"
    for key, effect in sorted(observed - desired):
        if not key.startswith(SYSTEM_TAINTS) and effect != "PreferNoSchedule":
            yield f"has the taint {key}:{effect}, which the profile does not know and no pod of ours tolerates"


def abridged(names: Sequence[str]) -> str:
    """The first three names in order, and how many more there are."""
    rest = len(names) - SHOWN
    return ", ".join(sorted(names)[:SHOWN]) + (f" and {rest} more" if rest > 0 else "")
