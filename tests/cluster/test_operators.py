"""What waits for an operator in the stack is answered in the lab, for kinds that appear after it was started."""

from typing import Any

import pytest

from lab.cluster import Cluster

ANYTHING: dict[str, Any] = {"spec": {"containers": [{"name": "main", "image": "any"}]}}
Row = tuple[str, str, str, dict[str, Any], str]
CUSTOM_RESOURCES: list[Row] = [
    (
        "nvidia.com/v1",
        "ClusterPolicy",
        "",
        {
            **{
                part: {}
                for part in (
                    "daemonsets",
                    "dcgm",
                    "dcgmExporter",
                    "devicePlugin",
                    "driver",
                    "gfd",
                    "nodeStatusExporter",
                )
            },
            "operator": {"defaultRuntime": "containerd"},
            "toolkit": {},
        },
        "jsonpath={.status.state}=ready",
    ),
    ("nvidia.com/v1alpha1", "NVIDIADriver", "", {"driverType": "gpu"}, "jsonpath={.status.state}=ready"),
    ("mellanox.com/v1alpha1", "NicClusterPolicy", "", {}, "jsonpath={.status.state}=ready"),
    (
        "mellanox.com/v1alpha1",
        "MacvlanNetwork",
        "",
        {"networkNamespace": "default", "master": "rail0"},
        "jsonpath={.status.state}=ready",
    ),
    ("kueue.x-k8s.io/v1beta2", "ClusterQueue", "", {}, "condition=Active"),
    ("kueue.x-k8s.io/v1beta2", "LocalQueue", "default", {"clusterQueue": "lab"}, "condition=Active"),
    ("scheduling.volcano.sh/v1beta1", "Queue", "", {"weight": 1}, "jsonpath={.status.state}=Open"),
    (
        "batch.volcano.sh/v1alpha1",
        "Job",
        "default",
        {"tasks": [{"name": "worker", "replicas": 1, "template": ANYTHING}]},
        "jsonpath={.status.state.phase}=Completed",
    ),
    (
        "jobset.x-k8s.io/v1alpha2",
        "JobSet",
        "default",
        {"replicatedJobs": [{"name": "worker", "template": {"spec": {"template": ANYTHING}}}]},
        "condition=Completed",
    ),
    (
        "leaderworkerset.x-k8s.io/v1",
        "LeaderWorkerSet",
        "default",
        {"leaderWorkerTemplate": {"workerTemplate": ANYTHING, "size": 2}},
        "condition=Available",
    ),
    ("trainer.kubeflow.org/v1alpha1", "TrainJob", "default", {"runtimeRef": {"name": "any"}}, "condition=Complete"),
    (
        "kubeflow.org/v1",
        "PyTorchJob",
        "default",
        {"pytorchReplicaSpecs": {"Worker": {"replicas": 1, "template": ANYTHING}}},
        "condition=Succeeded",
    ),
    (
        "kubeflow.org/v2beta1",
        "MPIJob",
        "default",
        {"mpiReplicaSpecs": {"Launcher": {"template": ANYTHING}}},
        "condition=Succeeded",
    ),
    (
        "ray.io/v1",
        "RayCluster",
        "default",
        {"headGroupSpec": {"rayStartParams": {}, "template": ANYTHING}},
        "jsonpath={.status.state}=ready",
    ),
    (
        "keda.sh/v1alpha1",
        "ScaledObject",
        "default",
        {"scaleTargetRef": {"name": "any"}, "triggers": [{"type": "cron", "metadata": {}}]},
        "condition=Ready",
    ),
]


@pytest.mark.usefixtures("crds")
@pytest.mark.parametrize("row", CUSTOM_RESOURCES, ids=lambda row: row[1])
def test_a_custom_resource_reaches_the_state_that_its_controller_would_report(cluster: Cluster, row: Row) -> None:
    api, kind, namespace, spec, condition = row
    group, version = api.split("/")
    metadata = {"name": "lab", **({"namespace": namespace} if namespace else {})}
    cluster.apply([{"apiVersion": api, "kind": kind, "metadata": metadata, "spec": spec}])
    plural = f"{kind}.{version}.{group}"
    place = ("-n", namespace) if namespace else ()
    cluster.kubectl("wait", f"--for={condition}", f"{plural}/lab", *place, "--timeout=30s")
    cluster.kubectl("delete", f"{plural}/lab", *place)


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
