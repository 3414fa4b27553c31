"""What the API server itself refuses: quota, Pod Security, priority classes, malformed policies."""

from collections.abc import Mapping
from typing import Any

import pytest

from bedplate.lab.binaries import LabError
from bedplate.lab.cluster import Cluster
from bedplate.plan.manifests import manifests
from tests.cluster.objects import namespace, pod
from tests.stack_files import STACKS, graph


def quotas() -> list[Mapping[str, Any]]:
    """Of every stack, those that count GPUs; planned where they are tried, as whoever only lists tests pays else."""
    declared = [one.document for stack in STACKS for one in manifests(graph(stack))]
    made = [one for one in declared if one["kind"] == "ResourceQuota"]
    return [one for one in made if "requests.nvidia.com/gpu" in one["spec"]["hard"]]


def quota(home: str, **hard: str) -> dict[str, Any]:
    metadata = {"name": "gpus", "namespace": home}
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "spec": {"hard": hard}}


def test_a_quota_counts_gpus(cluster: Cluster) -> None:
    home = "quota"
    cluster.apply([namespace(home), quota(home, **{"requests.nvidia.com/gpu": "8"})])
    counted = "jsonpath={.status.hard.requests\\.nvidia\\.com/gpu}=8"
    cluster.kubectl("wait", f"--for={counted}", "resourcequota/gpus", "-n", home, "--timeout=30s")
    cluster.apply([pod(home, "fits", gpus=8)])
    with pytest.raises(LabError, match=r"exceeded quota: gpus, requested: requests\.nvidia\.com/gpu=1, used: .*=8"):
        cluster.apply([pod(home, "too-many", gpus=1)])


def test_every_teams_quota_of_every_stack_is_in_force(cluster: Cluster) -> None:
    for number, declared in enumerate(quotas()):
        home = f"quota-{number}"
        hard = int(declared["spec"]["hard"]["requests.nvidia.com/gpu"])
        cluster.apply([namespace(home), {**declared, "metadata": {"name": "gpus", "namespace": home}}])
        cluster.kubectl("wait", "--for=jsonpath={.status.hard}", "resourcequota/gpus", "-n", home, "--timeout=30s")
        with pytest.raises(LabError, match=r"exceeded quota|must specify"):
            cluster.apply([pod(home, "greedy", gpus=hard + 1)])


PRIVILEGED = {"hostNetwork": True, "hostPID": True}


def test_pod_security_keeps_privileged_pods_out_of_a_teams_namespace(cluster: Cluster) -> None:
    cluster.apply([namespace("team", "baseline")])
    with pytest.raises(LabError, match=r'violates PodSecurity "baseline:latest": host namespaces'):
        cluster.apply([pod("team", "intruder", **PRIVILEGED)])


def test_pod_security_lets_operators_in_where_they_live(cluster: Cluster) -> None:
    cluster.apply([namespace("operators", "privileged"), pod("operators", "driver", **PRIVILEGED)])


def test_baseline_admits_a_training_pod_that_locks_memory_only_where_privileged(cluster: Cluster) -> None:
    cluster.apply([namespace("plain", "baseline")])
    with pytest.raises(LabError, match=r"non-default capabilities .*IPC_LOCK"):
        cluster.apply([locking("plain")])
    # Another namespace: of a level that changes the API server hears only a moment later.
    cluster.apply([namespace("rdma", "privileged"), locking("rdma")])


def locking(place: str) -> dict[str, Any]:
    trainer = pod(place, "trainer")
    trainer["spec"]["containers"][0]["securityContext"] = {"capabilities": {"add": ["IPC_LOCK"]}}
    return trainer


def test_a_pod_cannot_name_a_priority_class_that_is_not_there(cluster: Cluster) -> None:
    with pytest.raises(LabError, match="no PriorityClass with name nowhere was found"):
        cluster.apply([pod("default", "nobody", priorityClassName="nowhere")])


def test_a_network_policy_is_checked_field_by_field(cluster: Cluster) -> None:
    cluster.apply([namespace("isolated"), network_policy({"port": 443, "protocol": "TCP"})])
    with pytest.raises(LabError, match="Unsupported value"):
        cluster.apply([network_policy({"port": 443, "protocol": "RDMA"})])


def network_policy(port: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": "same-namespace", "namespace": "isolated"},
        "spec": {"podSelector": {}, "policyTypes": ["Ingress"], "ingress": [{"ports": [port]}]},
    }
