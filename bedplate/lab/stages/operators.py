"""The GPU stack's controllers, played: each custom resource reaches the state that its real controller would report.

Nothing is reconciled: no driver is loaded and no pod is made for a job. What waits for these states is what is tested.
Statuses follow the API types of the projects at the versions of `../shared/upstream/crds`. Kinds that a controller
makes at run time are made here as well, at the same moment and not before: what waits for them is tested too.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import yaml

from bedplate.components.workload.kinds import KINDS
from bedplate.lab.stages.definitions import definition

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
    part: str = ""
    """The part of the spec for which its controller makes `kinds`."""
    kinds: tuple[dict[str, Any], ...] = ()
    """CRDs that the controller makes, rather than its chart."""

    def stages(self) -> Iterator[dict[str, Any]]:
        """The Stage that sets the status on whatever has not got it, and one that makes the kinds first."""
        if not self.kinds:
            yield self._stage("", [], [])
            return
        made = [{"apply": {"template": yaml.safe_dump(_owned(kind))}} for kind in self.kinds]
        yield self._stage("", [_asks(self.part, "DoesNotExist")], [])
        yield self._stage(f"-with-{self.part}".lower(), [_asks(self.part, "Exists")], made)

    def _stage(self, suffix: str, only: list[Any], first: list[Any]) -> dict[str, Any]:
        selector = [
            {"jq": {"key": ".metadata.deletionTimestamp", "operator": "DoesNotExist"}},
            {"jq": {"key": self.path, "operator": "NotIn", "values": [self.value]}},
            *only,
        ]
        template = yaml.safe_dump(dict(self.status))
        patch = {"subresource": "status", "root": "status", "type": "merge", "template": template}
        return {
            "apiVersion": "kwok.x-k8s.io/v1alpha1",
            "kind": "Stage",
            "metadata": {"name": f"{self.kind}.{self.api.split('/')[0]}{suffix}".lower()},
            "spec": {
                "resourceRef": {"apiGroup": self.api, "kind": self.kind},
                "selector": {"matchExpressions": selector},
                "steps": [*first, {"patch": patch}],
            },
        }


def _owned(kind: Mapping[str, Any]) -> dict[str, Any]:
    """As its controller makes it: the kind goes with the object that asked for it."""
    named = {"apiVersion": "{{ .apiVersion }}", "kind": "{{ .kind }}", "name": "{{ .metadata.name }}"}
    owner = {**named, "uid": "{{ .metadata.uid }}", "controller": True, "blockOwnerDeletion": True}
    return {**kind, "metadata": {**kind["metadata"], "ownerReferences": [owner]}}


def _asks(part: str, operator: str) -> dict[str, Any]:
    return {"jq": {"key": f".spec.{part}", "operator": operator}}


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


def _applied(state: str, part: str) -> dict[str, str]:
    """What NicClusterPolicy reports of one part: `ignore` where its spec does not ask for it."""
    return {"name": f"state-{state}", "state": f"{{{{ if .spec.{part} }}}}ready{{{{ else }}}}ignore{{{{ end }}}}"}


# Names as the operator gives them (Mellanox/network-operator pkg/state, the same from v24.7.0 to v26.4.1).
_NIC_STATES = (
    _applied("multus-cni", "secondaryNetwork"),
    _applied("container-networking-plugins", "secondaryNetwork"),
    _applied("OFED", "ofedDriver"),
    _applied("SRIOV-device-plugin", "sriovDevicePlugin"),
    _applied("RDMA-device-plugin", "rdmaSharedDevicePlugin"),
    _applied("nv-ipam-cni", "nvIpam"),
)
_NV_IPAM = tuple(definition("nv-ipam.nvidia.com", kind, "v1alpha1") for kind in ("IPPool", "CIDRPool"))

READY = (
    in_state(
        "nvidia.com/v1",
        "ClusterPolicy",
        "ready",
        namespace="gpu-operator",
        conditions=[_condition("Ready", "Reconciled"), _condition("Error", "Ready", status="False")],
    ),
    in_state("nvidia.com/v1alpha1", "NVIDIADriver", "ready", namespace="gpu-operator"),
    replace(
        in_state("mellanox.com/v1alpha1", "NicClusterPolicy", "ready", appliedStates=list(_NIC_STATES)),
        part="nvIpam",
        kinds=_NV_IPAM,
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


PLAYED_FOR: Mapping[str, tuple[str, ...]] = {
    "kueue": ("kueue.x-k8s.io/",),
    "volcano": ("scheduling.volcano.sh/", "batch.volcano.sh/"),
    "jobset": ("jobset.x-k8s.io/",),
    "trainer": ("trainer.kubeflow.org/",),
    "mpi-operator": (KINDS["MPIJob"].api,),
    "training-operator": (KINDS["PyTorchJob"].api,),
}
"""Beginnings of the API versions for which each controller answers, where it really runs."""


def stages(real: Collection[str] = ()) -> Iterator[dict[str, Any]]:
    """Every Stage of every kind, but for those of controllers that really run."""
    theirs = tuple(api for name in real for api in PLAYED_FOR[name])
    return (stage for ready in READY if not ready.api.startswith(theirs) for stage in ready.stages())
