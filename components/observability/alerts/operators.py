"""Alerts on the operators: what would make nodes lose their driver or NICs at the next change."""

from collections.abc import Iterator

from bedplate.components.facts import Facts
from bedplate.components.observability.alerts.alert import Alert, Group
from bedplate.components.observability.operator_states import OperatorState, operator_states

LOOK_AT = {
    "ClusterPolicy": "`kubectl describe clusterpolicy cluster-policy` and the pods of namespace gpu-operator.",
    "NicClusterPolicy": "`kubectl describe nicclusterpolicy` and the pods of namespace nvidia-network-operator.",
}


def operators(facts: Facts) -> Iterator[Group]:
    """The states of custom resources, and what the GPU Operator counts itself."""
    states = tuple(_not_ready(state) for state in operator_states(facts))
    if states:
        yield Group("operator-states", frozenset({"operator-states"}), states)
    yield Group("gpu-operator", frozenset({"gpu-operator"}), (RECONCILIATION, UPGRADE))


def _not_ready(state: OperatorState) -> Alert:
    return Alert(
        f"{state.kind}NotReady",
        f'{state.metric}{{state="ready"}} == 0',
        f"{state.kind} {{{{ $labels.name }}}} is not ready",
        f"Nodes may lose or never get what it installs. Look at {LOOK_AT[state.kind]}",
        "critical",
        hold="30m",
    )


RECONCILIATION = Alert(
    "GpuOperatorReconciliationFailing",
    "gpu_operator_reconciliation_status != 1",
    "The GPU Operator cannot bring the nodes to what ClusterPolicy says",
    "Look at the operator's log in namespace gpu-operator; -1 means that there is no ClusterPolicy.",
    hold="1h",
)

UPGRADE = Alert(
    "GpuDriverUpgradeFailed",
    "gpu_operator_nodes_upgrades_failed > 0",
    "The driver upgrade failed on {{ $value }} nodes",
    "`kubectl get nodes -l nvidia.com/gpu-driver-upgrade-state=upgrade-failed`; often a pod holds the old module.",
    hold="15m",
)
