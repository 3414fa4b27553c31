"""What waits for an operator in the stack is answered in the lab, for kinds that appear after it was started."""

from typing import Any

import pytest

from bedplate.lab.cluster import Cluster
from bedplate.lab.stages import READY, Ready

ANYTHING: dict[str, Any] = {"spec": {"containers": [{"name": "main", "image": "any"}]}}
NETWORK = {"networkNamespace": "default"}
RAY: dict[str, Any] = {"headGroupSpec": {"rayStartParams": {}, "template": ANYTHING}}
OPERANDS = ("daemonsets", "dcgm", "dcgmExporter", "devicePlugin", "driver", "gfd", "nodeStatusExporter", "toolkit")
SPECS: dict[str, dict[str, Any]] = {
    "ClusterPolicy": {**{part: {} for part in OPERANDS}, "operator": {"defaultRuntime": "containerd"}},
    "NVIDIADriver": {"driverType": "gpu"},
    "HostDeviceNetwork": NETWORK,
    "IPoIBNetwork": {**NETWORK, "master": "ib0"},
    "MacvlanNetwork": {**NETWORK, "master": "rail0"},
    "LocalQueue": {"clusterQueue": "lab"},
    "AdmissionCheck": {"controllerName": "example.com/check"},
    "Queue": {"weight": 1},
    "Job": {"tasks": [{"name": "worker", "replicas": 1, "template": ANYTHING}]},
    "JobSet": {"replicatedJobs": [{"name": "worker", "template": {"spec": {"template": ANYTHING}}}]},
    "LeaderWorkerSet": {"leaderWorkerTemplate": {"workerTemplate": ANYTHING, "size": 2}},
    "TrainJob": {"runtimeRef": {"name": "any"}},
    "PyTorchJob": {"pytorchReplicaSpecs": {"Worker": {"replicas": 1, "template": ANYTHING}}},
    "MPIJob": {"mpiReplicaSpecs": {"Launcher": {"template": ANYTHING}}},
    "RayCluster": RAY,
    "RayJob": {"entrypoint": "python -c 1", "rayClusterSpec": RAY},
    "RayService": {"rayClusterConfig": RAY},
    "ScaledObject": {"scaleTargetRef": {"name": "any"}, "triggers": [{"type": "cron", "metadata": {}}]},
}
"""The least that each kind takes."""


@pytest.mark.usefixtures("crds")
@pytest.mark.parametrize("ready", READY, ids=lambda ready: ready.kind)
def test_a_custom_resource_reaches_the_state_that_its_controller_would_report(cluster: Cluster, ready: Ready) -> None:
    spec, metadata = SPECS.get(ready.kind, {}), {"name": "lab", "namespace": "default"}
    group, version = ready.api.split("/")
    cluster.apply([{"apiVersion": ready.api, "kind": ready.kind, "metadata": metadata, "spec": spec}])
    cluster.kubectl("wait", f"--for={ready.wait}", f"{ready.kind}.{version}.{group}/lab", "--timeout=30s")
    cluster.kubectl("delete", f"{ready.kind}.{version}.{group}/lab")


def test_webhooks_that_no_pod_answers_do_not_block_writes(cluster: Cluster) -> None:
    cluster.apply([webhook("ValidatingWebhookConfiguration"), webhook("MutatingWebhookConfiguration")])
    for kind in ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"):
        opened = "jsonpath={.webhooks[0].failurePolicy}=Ignore"
        cluster.kubectl("wait", f"--for={opened}", f"{kind}/lab", "--timeout=30s")
    cluster.kubectl("create", "configmap", "written", "-n", "default")
    cluster.kubectl("delete", "validatingwebhookconfiguration/lab", "mutatingwebhookconfiguration/lab")


def webhook(kind: str) -> dict[str, Any]:
    everything = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
    hook = {
        "name": "lab.example.com",
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "failurePolicy": "Fail",
        "clientConfig": {"service": {"name": "kubernetes", "namespace": "default"}},
        "rules": [everything],
    }
    api = "admissionregistration.k8s.io/v1"
    return {"apiVersion": api, "kind": kind, "metadata": {"name": "lab"}, "webhooks": [hook]}
