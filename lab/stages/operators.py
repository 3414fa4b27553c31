"""The GPU stack's controllers, played: each custom resource reaches the state that its real controller would report.

Nothing is reconciled: no driver is loaded and no pod is made for a job. What waits for these states is what is tested.
Statuses follow the API types of the projects at the versions of `../shared/upstream/crds`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from components.workload.kinds import KINDS

NOW = "{{ Now }}"


@dataclass(frozen=True)
class Ready:
    """The status of a kind once its controller is content, and how to tell."""

    api: str
    kind: str
    path: str
    value: str
    wait: str
    """What `kubectl wait --for` is told."""
    status: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def stage(self) -> dict[str, Any]:
        """The Stage that sets the status on whatever has not got it."""
        selector = [
            {"jq": {"key": ".metadata.deletionTimestamp", "operator": "DoesNotExist"}},
            {"jq": {"key": self.path, "operator": "NotIn", "values": [self.value]}},
        ]
        template = yaml.safe_dump(dict(self.status))
        patch = {"subresource": "status", "root": "status", "type": "merge", "template": template}
        return {
            "apiVersion": "kwok.x-k8s.io/v1alpha1",
            "kind": "Stage",
            "metadata": {"name": f"{self.kind}.{self.api.split('/')[0]}".lower()},
            "spec": {
                "resourceRef": {"apiGroup": self.api, "kind": self.kind},
                "selector": {"matchExpressions": selector},
                "steps": [{"patch": patch}],
            },
        }


def in_state(api: str, kind: str, value: str, key: str = "state", **more: object) -> Ready:
    """A kind that says in one word how it is."""
    return Ready(api, kind, f".status.{key}", value, f"jsonpath={{.status.{key}}}={value}", {key: value, **more})


def with_condition(api: str, kind: str, condition: str, reason: str, *, timed: bool = True, **more: object) -> Ready:
    """A kind that says it by a condition."""
    path = f'.status.conditions.[] | select(.type == "{condition}") | .status'
    played = _condition(condition, reason)
    if not timed:
        del played["lastTransitionTime"]
    return Ready(api, kind, path, "True", f"condition={condition}", {"conditions": [played], **more})


def _condition(name: str, reason: str, status: str = "True") -> dict[str, str]:
    message = f"played by the lab: {reason}"
    return {"type": name, "status": status, "reason": reason, "message": message, "lastTransitionTime": NOW}


# The states of NicClusterPolicy that hold up a GPU cluster: driver, device plugins, secondary networks and their IPAM.
_NIC_STATES = (
    "OFED",
    "RDMA-device-plugin",
    "SRIOV-device-plugin",
    "multus-cni",
    "container-networking-plugins",
    "nv-ipam",
)

READY = (
    in_state(
        "nvidia.com/v1",
        "ClusterPolicy",
        "ready",
        namespace="gpu-operator",
        conditions=[_condition("Ready", "Reconciled"), _condition("Error", "Ready", status="False")],
    ),
    in_state("nvidia.com/v1alpha1", "NVIDIADriver", "ready", namespace="gpu-operator"),
    in_state(
        "mellanox.com/v1alpha1",
        "NicClusterPolicy",
        "ready",
        appliedStates=[{"name": f"state-{name}", "state": "ready"} for name in _NIC_STATES],
    ),
    *(
        in_state("mellanox.com/v1alpha1", kind, "ready")
        for kind in ("HostDeviceNetwork", "IPoIBNetwork", "MacvlanNetwork")
    ),
    with_condition("kueue.x-k8s.io/v1beta2", "ClusterQueue", "Active", "Ready"),
    with_condition("kueue.x-k8s.io/v1beta2", "LocalQueue", "Active", "Ready"),
    with_condition("kueue.x-k8s.io/v1beta2", "AdmissionCheck", "Active", "Active"),
    in_state("scheduling.volcano.sh/v1beta1", "Queue", "Open"),
    Ready(
        KINDS["VolcanoJob"].api,
        "Job",
        ".status.state.phase",
        "Completed",
        "jsonpath={.status.state.phase}=Completed",
        {"state": {"phase": "Completed", "lastTransitionTime": NOW}},
    ),
    with_condition("kai.scheduler/v1", "Config", "Available", "available"),
    with_condition("kai.scheduler/v1", "SchedulingShard", "Available", "available"),
    with_condition(KINDS["JobSet"].api, "JobSet", "Completed", "AllJobsCompleted", terminalState="Completed"),
    with_condition(KINDS["LeaderWorkerSet"].api, "LeaderWorkerSet", "Available", "AllGroupsReady"),
    with_condition(KINDS["TrainJob"].api, "TrainJob", "Complete", "JobsCompleted"),
    with_condition(KINDS["PyTorchJob"].api, "PyTorchJob", "Succeeded", "PyTorchJobSucceeded", completionTime=NOW),
    with_condition(KINDS["MPIJob"].api, "MPIJob", "Succeeded", "MPIJobSucceeded", completionTime=NOW),
    in_state(KINDS["RayJob"].api, "RayCluster", "ready"),
    in_state(KINDS["RayJob"].api, "RayJob", "Complete", key="jobDeploymentStatus", jobStatus="SUCCEEDED"),
    with_condition(KINDS["RayJob"].api, "RayService", "Ready", "NonZeroServeEndpoints", serviceStatus="Running"),
    # KEDA's conditions have no time.
    with_condition("keda.sh/v1alpha1", "ScaledObject", "Ready", "ScaledObjectReady", timed=False),
)


def stages() -> Iterator[dict[str, Any]]:
    """One Stage per kind."""
    return (ready.stage() for ready in READY)
