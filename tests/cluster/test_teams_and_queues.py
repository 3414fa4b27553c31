"""On a real API server: every scheduler's queues are taken as written, members reach as far as they may, quotas hold."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from bedplate.lab.binaries import LabError
from bedplate.lab.cluster import Cluster
from bedplate.plan.manifests import manifests
from tests.stack_files import document, graph, graph_of
from tests.upstream import upstream

SMALL = {"cpu": "1", "memory": "1Gi"}
LEVELS = ["example.com/spine", "example.com/rack"]
SCHEDULERS = ("kueue-0.19.2", "volcano-1.15.1", "kai-scheduler-0.17.0")
QUEUE_KINDS = {"Queue", "HyperNode", "Topology", "ResourceFlavor", "ClusterQueue", "LocalQueue"}
TEAM_KINDS = {"Namespace", "PriorityClass", "ResourceQuota", "LimitRange", "Role", "RoleBinding", "NetworkPolicy"}


def queue_definitions() -> Iterator[dict[str, Any]]:
    """Of all three schedulers, whichever the stacks use."""
    for path in sorted(path for folder in SCHEDULERS for path in upstream("crds", folder).glob("*.yaml")):
        definition = yaml.load(path.read_text(), Loader=yaml.CSafeLoader)
        if definition["spec"]["names"]["kind"] in QUEUE_KINDS:
            yield definition


@pytest.fixture(scope="module")
def empty(cluster: Cluster) -> Iterator[Cluster]:
    """A cluster of its own, with the queues' kinds and the lab's teams."""
    own = Cluster(f"{cluster.name}-teams", cluster.binaries)
    own.start()
    try:
        own.apply(queue_definitions())
        own.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
        own.apply(one.document for one in manifests(graph("lab")) if one.document["kind"] in TEAM_KINDS)
        yield own
    finally:
        own.stop()


@pytest.mark.parametrize("kind", ["kueue", "volcano", "kai"])
def test_the_api_server_takes_every_queue_as_written(kind: str, empty: Cluster) -> None:
    topology: dict[str, Any] = {"levels": LEVELS} | ({"domains": ["rack-1", "rack-2"]} if kind == "volcano" else {})
    one = document("lab") | {"scheduling": {"kind": kind, "topology": topology}}
    objects = [m.document for m in manifests(graph_of(one)) if m.document["kind"] in QUEUE_KINDS]
    said = empty.apply(objects)
    assert len(objects) >= 4
    assert said.count("serverside-applied") == len(objects)


EVERYDAY = (
    *("replicasets.apps", "daemonsets.apps", "replicationcontrollers", "pods.metrics.k8s.io"),
    *("horizontalpodautoscalers.autoscaling", "scaledobjects.keda.sh", "endpointslices.discovery.k8s.io"),
)
"""What `kubectl get all`, `top`, `rollout undo` and `describe` ask for."""


@pytest.mark.parametrize(
    ("verb", "what", "namespace", "allowed"),
    [
        ("create", "jobs.batch", "research", "true"),
        ("create", "jobsets.jobset.x-k8s.io", "research", "true"),
        ("get", "localqueues.kueue.x-k8s.io", "research", "true"),
        ("get", "pods/log", "research", "true"),
        ("create", "secrets", "research", "true"),
        ("get", "secrets", "research", "true"),  # of Helm's releases; who makes pods mounts them
        ("list", "secrets", "platform", "false"),
        ("create", "serviceaccounts/token", "research", "false"),
        *(("list", what, "research", "true") for what in EVERYDAY),
        ("patch", "deployments/scale.apps", "research", "true"),
        ("patch", "pods/ephemeralcontainers", "research", "true"),
        ("update", "localqueues.kueue.x-k8s.io", "research", "false"),
        ("delete", "resourcequotas", "research", "false"),
        ("delete", "networkpolicies.networking.k8s.io", "research", "false"),
        ("create", "rolebindings.rbac.authorization.k8s.io", "research", "false"),
        ("create", "jobs.batch", "platform", "false"),
        ("get", "pods", "platform", "false"),
        ("list", "nodes", "", "false"),
        ("update", "clusterqueues.kueue.x-k8s.io", "", "false"),
    ],
)
def test_members_submit_and_read_in_their_namespace_and_nowhere_else(
    verb: str, what: str, namespace: str, allowed: str, empty: Cluster
) -> None:
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {"user": "ada", "groups": ["research"], "resourceAttributes": attributes(verb, what, namespace)},
    }
    said = empty.kubectl("create", "-f", "-", "-o", "jsonpath={.status.allowed}", stdin=_json(review))
    assert said == allowed


def attributes(verb: str, what: str, namespace: str) -> dict[str, str]:
    path, _, group = what.partition(".")
    resource, _, subresource = path.partition("/")
    return {"verb": verb, "resource": resource, "subresource": subresource, "group": group, "namespace": namespace}


def test_a_pod_beyond_the_teams_part_is_refused_and_says_why(empty: Cluster) -> None:
    with pytest.raises(LabError, match=r"exceeded quota: team, requested: requests.nvidia.com/gpu=9"):
        empty.kubectl("create", "-f", "-", stdin=_json(pod("platform", "greedy", {**SMALL, "nvidia.com/gpu": "9"})))


def test_a_pod_that_asks_for_nothing_is_refused_beside_kueue(empty: Cluster) -> None:
    with pytest.raises(LabError, match=r"must specify requests.cpu for: main; requests.memory for: main"):
        empty.kubectl("create", "-f", "-", stdin=_json(pod("platform", "modest", {})))


def test_a_pod_that_asks_for_nothing_gets_the_defaults_of_other_schedulers_and_counts(empty: Cluster) -> None:
    one = document("lab") | {"scheduling": {"kind": "volcano", "topology": {"levels": LEVELS}}}
    empty.apply(m.document for m in manifests(graph_of(one)) if m.document["kind"] == "LimitRange")
    empty.kubectl("create", "-f", "-", stdin=_json(pod("platform", "modest", {})))
    path = "jsonpath={.spec.containers[0].resources.requests.cpu} {.spec.containers[0].resources.requests.memory}"
    assert empty.kubectl("get", "pod", "modest", "-n", "platform", "-o", path) == "1 2Gi"


def test_a_pod_that_locks_memory_is_admitted_where_the_team_uses_rdma(empty: Cluster) -> None:
    locking = pod("research", "locking", SMALL)
    locking["spec"]["containers"][0]["securityContext"] = {"capabilities": {"add": ["IPC_LOCK"]}}
    empty.kubectl("create", "-f", "-", stdin=_json(locking))
    empty.kubectl("label", "ns", "platform", "pod-security.kubernetes.io/enforce=baseline", "--overwrite")
    locking["metadata"]["namespace"] = "platform"
    with pytest.raises(LabError, match="non-default capabilities"):
        empty.kubectl("create", "-f", "-", stdin=_json(locking))


def pod(namespace: str, name: str, limits: dict[str, str]) -> dict[str, Any]:
    container = {"name": "main", "image": "example.com/train:1", "resources": {"limits": limits}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"priorityClassName": "training", "containers": [container]},
    }


def _json(manifest: dict[str, Any]) -> str:
    return json.dumps(manifest)
