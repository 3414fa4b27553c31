"""What a member would try past the queues of Volcano and of KAI, and into other teams' networks, with any scheduler."""

from typing import Any

from tests.cluster.attacks import GPUS, HOME, PAST_THE_QUEUE, SMALL, batch, container, labelled, pod

NETWORKS = "k8s.v1.cni.cncf.io/networks"
RDMA: dict[str, Any] = {"resources": {"limits": {**SMALL, "rdma/rdma_shared_device_a": "1"}}}
OF_ANOTHER_TEAM = "A network of another namespace"
POD_GROUPS = {"volcano": "scheduling.volcano.sh/v1beta1", "kai": "scheduling.run.ai/v2alpha2"}
Attack = tuple[dict[str, Any], str]


def joined(value: str, key: str = NETWORKS) -> dict[str, Any]:
    """A pod on these networks."""
    return labelled(pod("a"), annotations={key: value})


def joined_by_a_job(value: str) -> dict[str, Any]:
    one = batch("a")
    one["spec"]["template"]["metadata"]["annotations"] = {NETWORKS: value}
    return one


def service(**spec: Any) -> dict[str, Any]:
    metadata = {"name": "a", "namespace": HOME}
    ports = [{"port": 443}]
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"ports": ports, **spec}}


NETWORK: dict[str, Attack] = {
    "another team's rail": (joined("platform/rail-0"), OF_ANOTHER_TEAM),
    "another team's rail after its own": (joined("rail-0, platform/rail-1@net2"), OF_ANOTHER_TEAM),
    "another team's rail in JSON": (joined('[{"name": "rail-0", "namespace": "platform"}]'), OF_ANOTHER_TEAM),
    "another team's rail in odd JSON": (joined('[{"name": "rail-0", "name\u017fpace": "platform"}]'), OF_ANOTHER_TEAM),
    "another team's rail in escaped JSON": (
        joined('[{"name": "rail-0", "n\\u0061mespace": "platform"}]'),
        OF_ANOTHER_TEAM,
    ),
    "another team's rail for a Job": (joined_by_a_job("platform/rail-0"), OF_ANOTHER_TEAM),
    "another first network": (joined("rail-0", key="v1.multus-cni.io/default-network"), "first network is the cluster"),
    "everybody's traffic to an address": (service(externalIPs=["10.9.8.7"]), "externalIPs takes the traffic"),
}
NOT_OF_KUEUE = (
    "a node by its name",
    "a Job on a node by its name",
    "the system's priority",
    "NVIDIA's runtime class",
    "a ReplicaSet",
)
"""Of the attacks on a queue, those whose answer no scheduler changes."""


def past(scheduler: str, name: str) -> dict[str, Attack]:
    """Attacks on a queue of this scheduler, whose pods name it."""
    other = {"volcano": "kai-scheduler", "kai": "volcano"}[scheduler]
    group = {"apiVersion": POD_GROUPS[scheduler], "kind": "PodGroup", "metadata": {"name": "a", "namespace": HOME}}
    theirs, none = {"minMember": 1, "queue": "platform"}, {"minMember": 1}
    placed = f"placed by {name}"
    found: dict[str, Attack] = {key: PAST_THE_QUEUE[key] for key in NOT_OF_KUEUE} | {
        "another scheduler": (pod("a", schedulerName=other), "A scheduler that is not this cluster's"),
        "GPUs from the cluster's own scheduler": (pod("a", containers=[container(**GPUS)]), placed),
        "GPUs by an init container": (pod("a", initContainers=[container(name="i", **GPUS)]), placed),
        "the fabric from the cluster's own scheduler": (pod("a", containers=[container(**RDMA)]), placed),
        "a pod of a Deployment": (
            labelled(pod("a", containers=[container(**GPUS)]), labels={"app": "x"}),
            placed,
        ),
    }
    if scheduler == "kai":  # its controller makes PodGroups, members only read them
        return found | {"a PodGroup of its own": ({**group, "spec": none}, "forbidden")}
    job = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "a", "namespace": HOME}}
    tasks = [{"name": "a", "replicas": 1, "template": {"spec": {"containers": [container()]}}}]
    return found | {
        "another team's queue": ({**group, "spec": theirs}, "Another team's queue"),
        "no queue": ({**group, "spec": none}, "Another team's queue, or none"),
        "a VolcanoJob in another team's queue": (
            {**job, "spec": {"queue": "platform", "tasks": tasks}},
            "Another team's",
        ),
    }
