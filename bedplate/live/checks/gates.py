"""What a deployment waits for: the operators' policies, their operands, and the nodes' virtual functions."""

from collections.abc import Iterator, Mapping
from typing import Any

from bedplate.components.operators import gpu_operator, network_operator
from bedplate.components.readiness import STATE, state
from bedplate.components.verification.judge import late_operands
from bedplate.jobs.objects import conditions, said
from bedplate.live import kinds
from bedplate.live.finding import Finding
from bedplate.live.kinds import Kind
from bedplate.live.reading import Object, Seen, entries, part, place
from bedplate.live.subset import differences
from bedplate.live.wanted import Wanted

WAITS = "the next `bedplate up` waits for it and fails; nodes may lack driver, plugin or devices"
LATE = "nodes still run what the last release left"
OTHER = "nodes get another driver or plugin than the profile's with the operator's next step"
RELEASE = "gpu-operator"
OPERANDS = {
    "gpuOperator": (gpu_operator.CHART.namespace, (kinds.CLUSTER_POLICY,)),
    "networkOperator": (network_operator.CHART.namespace, (kinds.NIC_CLUSTER_POLICY, kinds.NIC_NODE_POLICY)),
}
SAID_OF_VALUES = (
    ("operator", "runtimeClass"),
    ("daemonsets", "tolerations"),
    ("driver",),
    ("toolkit",),
    ("devicePlugin", "enabled"),
    ("devicePlugin", "env"),
    ("mig",),
    ("migManager", "enabled"),
    ("cdi", "enabled"),
    ("gds", "enabled"),
    ("gdrcopy", "enabled"),
    ("dcgmExporter", "enabled"),
    ("hostPaths", "driverInstallDir"),
)
"""Values that the chart copies to the same place of its ClusterPolicy (templates/clusterpolicy.yaml, rendered at
v26.3.3 and v26.7.0)."""


def gates(wanted: Wanted, seen: Seen) -> Iterator[Finding]:
    """Of both operators."""
    if "gpuOperator" in wanted.facts.has and seen.knows(kinds.CLUSTER_POLICY):
        yield from _cluster_policy(wanted, seen)
    for kind in (kinds.NIC_CLUSTER_POLICY, kinds.NIC_NODE_POLICY):
        yield from (finding for one in seen.of(kind) for finding in policy(wanted, kind, one))
    yield from _operands(wanted, seen)
    yield from _ports(seen)


def _cluster_policy(wanted: Wanted, seen: Seen) -> Iterator[Finding]:
    found = seen.of(kinds.CLUSTER_POLICY)
    if not found:
        yield Finding("gates", "ClusterPolicy", "there is none: the GPU Operator does nothing", WAITS)
    for one in found[1:]:
        where = f"ClusterPolicy {place(one)[1]}"
        yield Finding("gates", where, "is one too many: the operator takes the first, and ignores the others", OTHER)
    for one in found[:1]:
        yield from policy(wanted, kinds.CLUSTER_POLICY, one)
        values = wanted.values.get(RELEASE, {})
        for difference in differences(copied(values), part(one, "spec")):
            yield Finding("gates", f"ClusterPolicy {place(one)[1]}", str(difference), OTHER)


def copied(values: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of the chart's values that stand in its ClusterPolicy as they are."""
    found: dict[str, Any] = {}
    for top, *below in SAID_OF_VALUES:
        value = values.get(top)
        if value is None or (below and below[0] not in value):
            continue
        found[top] = {**found.get(top, {}), below[0]: value[below[0]]} if below else value
    return found


def policy(wanted: Wanted, kind: Kind, one: Object) -> Iterator[Finding]:
    """What it says of itself. With nodes that may be broken it need not be ready, as for a deployment."""
    status = part(one, "status")
    now = status.get("state", "")
    if now == "ready" or (now and state(wanted.facts) == STATE):
        return
    parts = [each["name"] for each in entries(status, "appliedStates") if each["state"] not in ("ready", "ignore")]
    heard = [said(each) for each in conditions(one).values() if each.get("status") == _bad(str(each.get("type")))]
    reasons = [f"waits for {', '.join(parts)}" if parts else None, *heard, status.get("reason")]
    because = "".join(f"{sign} {one}" for sign, one in zip(":;;;;;", filter(None, reasons), strict=False))
    yield Finding("gates", f"{kind.kind} {place(one)[1]}", f"is {now or 'without a state'}{because}", WAITS)


def _bad(condition: str) -> str:
    return "True" if condition == "Error" else "False" if condition == "Ready" else "-"


def _operands(wanted: Wanted, seen: Seen) -> Iterator[Finding]:
    """Images of the operands, as a deployment's own gate judges them."""
    spare = sum(pool.spare for pool in wanted.facts.pools)
    for section, (home, policies) in OPERANDS.items():
        if section not in wanted.facts.has:
            continue
        known = [one for kind in policies for one in seen.of(kind)]
        there = [one for one in seen.of(kinds.DAEMON_SET) if place(one)[0] == home]
        for fault in late_operands(known, spare, there):
            where, _, what = fault.partition(": ")
            yield Finding("gates", f"DaemonSet {home}/{where}", what, LATE)


def _ports(seen: Seen) -> Iterator[Finding]:
    """Virtual functions, which no policy of the operator speaks of."""
    for one in seen.of(kinds.SRIOV_STATE):
        status = part(one, "status")
        if (now := status.get("syncStatus")) != "Succeeded":
            error = f": {status['lastSyncError']}" if status.get("lastSyncError") else ""
            yield Finding("gates", f"node {place(one)[1]}", f"its virtual functions: {now or 'unseen'}{error}", WAITS)
