"""What a deployment waits for: the operators' policies, their operands, and the nodes' virtual functions."""

from collections.abc import Iterator, Mapping
from typing import Any

from bedplate.cluster.objects import Object, conditions, entries, message, part, place
from bedplate.components.operators import gpu_operator, network_operator
from bedplate.components.readiness import STATE, state
from bedplate.components.verification.judge import late_operands
from bedplate.live import kinds
from bedplate.live.desired import Desired
from bedplate.live.finding import Finding, finding
from bedplate.live.kinds import Kind
from bedplate.live.reading import Observed
from bedplate.live.subset import differences

RELEASE = "gpu-operator"
BAD_STATUS = {"Error": "True", "Ready": "False"}
"""Conditions of the policies, each with the status that means a fault."""
OPERANDS = {
    "gpuOperator": (gpu_operator.CHART.namespace, (kinds.CLUSTER_POLICY,)),
    "networkOperator": (network_operator.CHART.namespace, (kinds.NIC_CLUSTER_POLICY, kinds.NIC_NODE_POLICY)),
}
SAME_IN_POLICY = (
    *(
        "operator.runtimeClass",
        "daemonsets.tolerations",
        "driver",
        "toolkit",
        "devicePlugin.enabled",
        "devicePlugin.env",
    ),
    *("mig", "migManager.enabled", "cdi.enabled", "gds.enabled", "gdrcopy.enabled", "dcgmExporter.enabled"),
    "hostPaths.driverInstallDir",
)
"""Values that the chart copies to the same place of its ClusterPolicy (templates/clusterpolicy.yaml, rendered at
v26.3.3 and v26.7.0)."""


def gates(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """Policies of both operators, images of their operands, and virtual functions of nodes."""
    if "gpuOperator" in desired.facts.has and observed.knows(kinds.CLUSTER_POLICY):
        yield from _cluster_policy(desired, observed)
    for kind in (kinds.NIC_CLUSTER_POLICY, kinds.NIC_NODE_POLICY):
        yield from (fault for obj in observed.of(kind) for fault in policy(desired, kind, obj))
    yield from _operands(desired, observed)
    yield from _virtual_functions(observed)


def _cluster_policy(desired: Desired, observed: Observed) -> Iterator[Finding]:
    policies = observed.of(kinds.CLUSTER_POLICY)
    if not policies:
        yield finding("gates.no-policy", "ClusterPolicy")
    yield from (finding("gates.too-many", kinds.CLUSTER_POLICY.title(obj)) for obj in policies[1:])
    for obj in policies[:1]:
        yield from policy(desired, kinds.CLUSTER_POLICY, obj)
        for diff in differences(copied(desired.values.get(RELEASE, {})), part(obj, "spec")):
            yield finding("gates.value", kinds.CLUSTER_POLICY.title(obj), difference=diff)


def copied(values: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of the chart's values that stand in its ClusterPolicy as they are."""
    spec: dict[str, Any] = {}
    for path in SAME_IN_POLICY:
        top, *below = path.split(".")
        value = values.get(top)
        if value is None or (below and below[0] not in value):
            continue
        spec[top] = {**spec.get(top, {}), below[0]: value[below[0]]} if below else value
    return spec


def policy(desired: Desired, kind: Kind, obj: Object) -> Iterator[Finding]:
    """What a policy says of itself. With nodes that may be broken it need not be ready, as for a deployment."""
    status = part(obj, "status")
    now = status.get("state", "")
    if now == "ready" or (now and state(desired.facts) == STATE):
        return
    waiting = [state["name"] for state in entries(status, "appliedStates") if state["state"] not in ("ready", "ignore")]
    bad = [
        message(condition)
        for name, condition in conditions(obj).items()
        if condition.get("status") == BAD_STATUS.get(name, "-")
    ]
    reasons = [f"waits for {', '.join(waiting)}" if waiting else None, *bad, status.get("reason")]
    because = "".join(f"{sign} {reason}" for sign, reason in zip(":;;;;;", filter(None, reasons), strict=False))
    yield finding("gates.state", kind.title(obj), state=now or "without a state", because=because)


def _operands(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """Images of the operands, as a deployment's own gate judges them."""
    spare = sum(pool.spare for pool in desired.facts.pools)
    for section, (home, policy_kinds) in OPERANDS.items():
        if section not in desired.facts.has:
            continue
        policies = [obj for kind in policy_kinds for obj in observed.of(kind)]
        daemon_sets = [obj for obj in observed.of(kinds.DAEMON_SET) if place(obj)[0] == home]
        for fault in late_operands(policies, spare, daemon_sets):
            where, _, what = fault.partition(": ")
            yield finding("gates.late", f"DaemonSet {home}/{where}", fault=what)


def _virtual_functions(observed: Observed) -> Iterator[Finding]:
    """No policy of the operator tells their state."""
    for obj in observed.of(kinds.SRIOV_STATE):
        status = part(obj, "status")
        if (now := status.get("syncStatus")) != "Succeeded":
            error = f": {status['lastSyncError']}" if status.get("lastSyncError") else ""
            yield finding("gates.virtual-functions", f"node {place(obj)[1]}", state=now or "unseen", error=error)
