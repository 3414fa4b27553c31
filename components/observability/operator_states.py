"""The states of the operators' custom resources as metrics, by kube-state-metrics.

The GPU Operator counts its reconciliations, but the Network Operator says nowhere but in its status how its NICs are.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bedplate.components.facts import Facts


@dataclass(frozen=True)
class OperatorState:
    """A kind whose `status.state` is one of a few words."""

    group: str
    version: str
    kind: str
    plural: str
    states: tuple[str, ...]

    @property
    def metric(self) -> str:
        """1 for the state that it is in and 0 for the others, in the label `state`."""
        return f"kube_customresource_{self.kind.lower()}_state"


CLUSTER_POLICY = OperatorState("nvidia.com", "v1", "ClusterPolicy", "clusterpolicies", ("ready", "notReady", "ignored"))
NIC_CLUSTER_POLICY = OperatorState(
    "mellanox.com", "v1alpha1", "NicClusterPolicy", "nicclusterpolicies", ("ready", "notReady", "ignore", "error")
)


def operator_states(facts: Facts) -> Iterator[OperatorState]:
    """Those of the operators that are here."""
    if "gpuOperator" in facts.has:
        yield CLUSTER_POLICY
    if "networkOperator" in facts.has:
        yield NIC_CLUSTER_POLICY


def custom_resource_state(facts: Facts) -> dict[str, Any]:
    """kube-state-metrics' configuration (v2.20, customresourcestate-metrics.md)."""
    resources = [_resource(state) for state in operator_states(facts)]
    if not resources:
        return {"enabled": False}
    return {"enabled": True, "config": {"kind": "CustomResourceStateMetrics", "spec": {"resources": resources}}}


def read_rules(facts: Facts) -> list[dict[str, Any]]:
    """What it must be allowed to read for that."""
    return [
        {"apiGroups": [state.group], "resources": [state.plural], "verbs": ["list", "watch"]}
        for state in operator_states(facts)
    ]


def _resource(state: OperatorState) -> dict[str, Any]:
    prefix, name = "kube_customresource_", state.metric
    return {
        "groupVersionKind": {"group": state.group, "version": state.version, "kind": state.kind},
        "labelsFromPath": {"name": ["metadata", "name"]},
        "metrics": [
            {
                "name": name.removeprefix(prefix),
                "help": f"State of a {state.kind}.",
                "each": {
                    "type": "StateSet",
                    "stateSet": {"labelName": "state", "path": ["status", "state"], "list": list(state.states)},
                },
            }
        ],
    }
