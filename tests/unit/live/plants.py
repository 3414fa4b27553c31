"""Sixty and more ways in which a cluster leaves its profile, each with the words in which the doctor says so."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any, NamedTuple

from bedplate.live import kinds
from bedplate.live.kinds import Kind
from tests.live_cluster import NOW, FakeCluster, bundle, plural, workload

POLICY = Kind("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy")
BINDING = Kind("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding")
QUOTA, LIMITS, MAP = kinds.Kind("v1", "ResourceQuota"), kinds.Kind("v1", "LimitRange"), kinds.CONFIG_MAP
ROLE, GRANT = (Kind("rbac.authorization.k8s.io/v1", kind) for kind in ("Role", "RoleBinding"))
PRIORITY = Kind("scheduling.k8s.io/v1", "PriorityClass")
NETWORK_POLICY = Kind("networking.k8s.io/v1", "NetworkPolicy")
IP_POOL = Kind("nv-ipam.nvidia.com/v1alpha1", "IPPool")
RULE = Kind("monitoring.coreos.com/v1", "PrometheusRule")
TOPOLOGY = Kind("kueue.x-k8s.io/v1beta2", "Topology")
RUNTIME = Kind("trainer.kubeflow.org/v1alpha1", "TrainingRuntime")
BUDGET = Kind("policy/v1", "PodDisruptionBudget")
VF_POLICY = Kind("sriovnetwork.openshift.io/v1", "SriovNetworkNodePolicy")
ROCE, IB, L40S, EKS = "onprem-h100-roce", "onprem-h100-ib", "inference-l40s", "eks-p5"
HOOK, GPUS = "kueue-webhook", "gpu-operator"
OPERATOR = "nvidia-network-operator"


class Plant(NamedTuple):
    """What is done to a cluster, and what must be said of it."""

    name: str
    change: Callable[[FakeCluster], Any]
    where: str
    what: str
    stack: str = ROCE


def set_(kind: Kind, name: str, path: str, value: Any, namespace: str = "") -> Callable[[FakeCluster], None]:
    """Write a value into an object; None takes the key away. `/` separates keys, as labels have dots."""

    def change(cluster: FakeCluster) -> None:
        *above, last = path.split("|")
        part: Any = cluster.one(kind, name, namespace)
        for key in above:
            part = part[int(key)] if isinstance(part, list) else part.setdefault(key, {})
        key: Any = int(last) if isinstance(part, list) else last
        if value is None:
            del part[key]
        else:
            part[key] = value

    return change


def found_twice(cluster: FakeCluster) -> None:
    for name, block in (("tier2-a", "0"), ("tier2-b", "0"), ("tier2-c", "1")):
        labels = {"volcano.sh/network-topology-source": "label", "fabric.topograph.run/tier-2": f"block-{block}"}
        head = {"apiVersion": kinds.HYPER_NODE.version, "kind": kinds.HYPER_NODE.kind}
        cluster.add({**head, "metadata": {"name": f"network-{name}", "labels": labels}, "spec": {"tier": 2}})


def gone(kind: Kind, name: str, namespace: str = "") -> Callable[[FakeCluster], None]:
    return lambda cluster: cluster.remove(kind, name, namespace)


def node(path: str, value: Any, name: str = "h100-3") -> Callable[[FakeCluster], None]:
    return set_(kinds.NODE, name, path, value)


def condition(kind: str, status: str, **more: str) -> dict[str, str]:
    return {"type": kind, "status": status, **more}


def unserved(kind: Kind) -> Callable[[FakeCluster], None]:
    def change(cluster: FakeCluster) -> None:
        cluster.objects.pop(kind, None)
        cluster.absent.add(kind)

    return change


def both(*changes: Callable[[FakeCluster], Any]) -> Callable[[FakeCluster], Any]:
    return lambda cluster: [change(cluster) for change in changes]


def definition(kind: Kind, *versions: str, **status: Any) -> dict[str, Any]:
    served = [{"name": version, "served": True} for version in versions]
    spec = {"group": kind.group, "names": {"kind": kind.kind, "plural": plural(kind)}, "versions": served}
    head = {"apiVersion": kinds.DEFINITION.version, "kind": kinds.DEFINITION.kind}
    return {**head, "metadata": {"name": f"{plural(kind)}.{kind.group}"}, "spec": spec, "status": status}


def converter(cluster: FakeCluster) -> None:
    one = definition(kinds.CLUSTER_QUEUE, "v1beta2")
    client = {"service": {"namespace": "kueue-system", "name": "nobody"}, "caBundle": bundle(NOW + timedelta(days=99))}
    one["spec"]["conversion"] = {"strategy": "Webhook", "webhook": {"clientConfig": client}}
    cluster.add(one)


def api(cluster: FakeCluster) -> None:
    away = condition("Available", "False", message="no response from custom metrics")
    head = {"apiVersion": kinds.API_SERVICE.version, "kind": kinds.API_SERVICE.kind}
    metadata = {"name": "v1beta1.custom.metrics.k8s.io"}
    cluster.add({**head, "metadata": metadata, "spec": {}, "status": {"conditions": [away]}})


def crashing(cluster: FakeCluster) -> None:
    set_(kinds.DEPLOYMENT, "kueue", "status|availableReplicas", 0, "kueue-system")(cluster)
    waits = {"waiting": {"reason": "ImagePullBackOff", "message": "manifest unknown"}}
    status = {"phase": "Pending", "containerStatuses": [{"name": "main", "image": "example.com/it:1", "state": waits}]}
    metadata = {"name": "kueue-1", "namespace": "kueue-system", "labels": {"app": "kueue"}}
    cluster.add({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {}, "status": status})


def stranger(cluster: FakeCluster) -> None:
    spec = {"cohortName": ROCE, "resourceGroups": []}
    head = {"apiVersion": kinds.CLUSTER_QUEUE.version, "kind": "ClusterQueue"}
    cluster.add({**head, "metadata": {"name": "shadow"}, "spec": spec})


def second_policy(cluster: FakeCluster) -> None:
    cluster.add({"apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "metadata": {"name": "mine"}, "spec": {}})


def wrong_operand(cluster: FakeCluster) -> None:
    own = {"repository": "nvcr.io/nvidia", "image": "driver", "version": "595.91.07"}
    cluster.one(kinds.CLUSTER_POLICY, "cluster-policy")["spec"]["driver"] |= own
    owner = {"kind": "ClusterPolicy", "uid": "uid-cluster-policy"}
    operand = workload("DaemonSet", GPUS, "nvidia-driver-daemonset", ownerReferences=[owner])
    operand["spec"]["template"]["spec"]["containers"][0]["image"] = "nvcr.io/nvidia/driver:570.1-ubuntu22.04"
    operand["spec"]["template"]["spec"]["tolerations"] = [{"operator": "Exists"}]
    cluster.add(operand)


def contract(key: str, value: Any) -> Callable[[FakeCluster], None]:
    def change(cluster: FakeCluster) -> None:
        data = cluster.one(MAP, "bedplate-workload-contract", "research")["data"]
        data["contract.json"] = json.dumps({**json.loads(data["contract.json"]), key: value})

    return change


def no_network(cluster: FakeCluster) -> None:
    made = "k8s.cni.cncf.io/v1, Kind=NetworkAttachmentDefinition"
    set_(kinds.MACVLAN_NETWORK, "research-rail-3", "status|macvlanNetworkAttachmentDef", made)(cluster)


# fmt: off
GUIDE = [
    Plant("a node has lost a GPU", node("status|allocatable|nvidia.com/gpu", "7"), "h100-3", "has 7 of 8 nvidia.com/gpu"),
    Plant("a node has no RDMA device", node("status|allocatable|rdma/rdma_shared_device_a", "0"), "h100-3", "has 0 of 63"),
    Plant("a kubelet keeps memory", node("status|allocatable|memory", "1700Gi"), "h100-3", "offers pods 1700Gi of memory"),
    Plant("a kubelet keeps processors", node("status|allocatable|cpu", "64"), "h100-3", "offers pods 64 of cpu"),
    Plant("a node is not ready", node("status|conditions|0|status", "False"), "h100-3", "is not Ready"),
    Plant("a node lacks its rack", node("metadata|labels|fabric.topograph.run/tier-1", None), "h100-3", "lacks the label"),
    Plant("a node is cordoned", node("spec|unschedulable", True), "h100-3", "is cordoned"),
    Plant("a node has another GPU", node("metadata|labels|nvidia.com/gpu.product", "NVIDIA-H200"), "h100-3", "no pool"),
    Plant("a node has left", gone(kinds.NODE, "h100-3"), "pool h100", "7 nodes carry its labels"),
    Plant("a node lost its taint", node("spec|taints", []), "h100-3", "lacks the taint nvidia.com/gpu:NoSchedule"),
    Plant(
        "a node has a taint that nobody knows",
        node("spec|taints", [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}, {"key": "x", "effect": "NoExecute"}]),
        "h100-3",
        "has the taint x:NoExecute",
    ),
    Plant("a detector has found a fault", node("status|conditions", [condition("Ready", "True"), condition("GpuMissing", "True", message="7 of 8 GPUs answer")]), "h100-3", "GpuMissing is True: 7 of 8 GPUs answer"),
    Plant("a disk is full", node("status|conditions", [condition("Ready", "True"), condition("DiskPressure", "True")]), "h100-3", "has DiskPressure"),
    Plant("the slices failed", node("metadata|labels|nvidia.com/mig.config.state", "failed", "a100-mig-1"), "a100-mig-1",
          "could not be cut", L40S),
    Plant("the driver's upgrade failed", node("metadata|labels|nvidia.com/gpu-driver-upgrade-state", "upgrade-failed"),
          "h100-3", "upgrade of its driver failed"),
    Plant("a node is in another zone", node("metadata|labels|topology.kubernetes.io/zone", "us-east-2c", "p5-1"), "p5-1",
          "is in zone us-east-2c", EKS),
    Plant("a kubelet is too old", node("status|nodeInfo|kubeletVersion", "v1.30.2"), "h100-3", "runs kubelet v1.30.2"),
    Plant("the API server is another", lambda cluster: setattr(cluster, "version", "v1.33.1"), "API server", "v1.33.1"),
    Plant("ClusterPolicy is not ready", set_(kinds.CLUSTER_POLICY, "cluster-policy", "status|state", "notReady"),
          "ClusterPolicy cluster-policy", "is notReady"),
    Plant("ClusterPolicy says why", both(
        set_(kinds.CLUSTER_POLICY, "cluster-policy", "status|state", "notReady"),
        set_(kinds.CLUSTER_POLICY, "cluster-policy", "status|conditions",
             [condition("Error", "True", message="driver pods crash")])), "ClusterPolicy", "driver pods crash"),
    Plant("there is no ClusterPolicy", gone(kinds.CLUSTER_POLICY, "cluster-policy"), "ClusterPolicy", "there is none"),
    Plant("there are two", second_policy, "ClusterPolicy mine", "one too many"),
    Plant("the driver was switched off", set_(kinds.CLUSTER_POLICY, "cluster-policy", "spec|driver|enabled", False),
          "ClusterPolicy", "driver.enabled is False, the profile implies True"),
    Plant("closed modules", set_(kinds.CLUSTER_POLICY, "cluster-policy", "spec|driver|kernelModuleType", "proprietary"),
          "ClusterPolicy", "driver.kernelModuleType is proprietary"),
    Plant("an operand runs the last release's image", wrong_operand, "nvidia-driver-daemonset", "570.1-ubuntu22.04"),
    Plant("NicClusterPolicy waits", set_(kinds.NIC_CLUSTER_POLICY, "nic-cluster-policy", "status", {
        "state": "notReady", "appliedStates": [{"name": "state-OFED", "state": "notReady"}]}),
        "NicClusterPolicy", "waits for state-OFED"),
    Plant("NicClusterPolicy is gone", gone(kinds.NIC_CLUSTER_POLICY, "nic-cluster-policy"), "NicClusterPolicy", "is not there"),
    Plant("no virtual functions", set_(kinds.SRIOV_STATE, "h100-0", "status", {
        "syncStatus": "Failed", "lastSyncError": "SR-IOV is off in firmware"}, OPERATOR), "h100-0", "off in firmware", IB),
    Plant("fewer virtual functions", set_(VF_POLICY, "rail-0", "spec|numVfs", 4, OPERATOR), "rail-0", "spec.numVfs is 4", IB),
    Plant("a release is older", set_(
        kinds.DEPLOYMENT, GPUS, "metadata|labels|helm.sh/chart", "gpu-operator-v25.3.4", GPUS), "gpu-operator/gpu-operator",
        "runs gpu-operator v25.3.4, the profile says v26.7.0"),
    Plant("a release is gone", both(gone(kinds.DEPLOYMENT, "keda", "keda"), gone(kinds.DAEMON_SET, "keda-agent", "keda")),
          "release keda/keda", "nothing of keda"),
    Plant("a controller is down", set_(kinds.DEPLOYMENT, "kueue", "status|availableReplicas", 0, "kueue-system"),
          "Deployment kueue-system/kueue", "0 of 1 pods are available: there is no pod of it"),
    Plant("a controller's pods are refused", set_(kinds.DEPLOYMENT, "kueue", "status", {"observedGeneration": 1, "conditions": [
        condition("ReplicaFailure", "True", message='pods "kueue-5c" is forbidden: violates PodSecurity "restricted:latest"')]},
        "kueue-system"), "Deployment kueue-system/kueue", 'available: pods "kueue-5c" is forbidden: violates PodSecurity'),
    Plant("its image cannot be pulled", crashing, "Deployment kueue-system/kueue", "example.com/it:1 cannot be pulled"),
    Plant("an agent is missing on a node", set_(
        kinds.DAEMON_SET, "nfd-agent", "status|numberAvailable", 1, "node-feature-discovery"), "nfd-agent", "1 of 2 pods"),
    Plant("an agent does not tolerate the pool", set_(
        kinds.DAEMON_SET, "nfd-agent", "spec|template|spec|tolerations", [], "node-feature-discovery"),
        "nfd-agent", "does not tolerate the taints of h100-0, h100-1, h100-2 and 5 more"),
    Plant("a change has not been seen", set_(kinds.DEPLOYMENT, "kueue", "metadata|generation", 4, "kueue-system"),
          "kueue", "has not been seen by its controller"),
    Plant("a model server is down", set_(kinds.DEPLOYMENT, "llama-70b", "status|availableReplicas", 0, "serving"),
          "serving/llama-70b", "pods are available"),
    Plant("the test of the fabric failed", set_(kinds.JOB, "nccl-verification", "status", {
        "conditions": [condition("Failed", "True", message="BackoffLimitExceeded")]}, "pretraining"),
        "nccl-verification", "BackoffLimitExceeded", IB),
    Plant("a queue is not active", set_(kinds.CLUSTER_QUEUE, "research", "status|conditions|0", condition(
        "Active", "False", reason="FlavorNotFound", message="Can't admit")), "ClusterQueue research", "FlavorNotFound"),
    Plant("a queue was stopped", set_(kinds.CLUSTER_QUEUE, "research", "spec|stopPolicy", "HoldAndDrain"),
          "ClusterQueue research", "stopPolicy: HoldAndDrain"),
    Plant("a flavor is gone", gone(kinds.FLAVOR, "h100"), "ClusterQueue research", "names ResourceFlavor h100: there is none"),
    Plant("a team's queue is gone", gone(kinds.LOCAL_QUEUE, "default", "research"), "LocalQueue research/default",
          "is not there"),
    Plant("a team's queue was stopped", set_(kinds.LOCAL_QUEUE, "default", "spec|stopPolicy", "Hold", "research"),
          "LocalQueue research/default", "stopPolicy: Hold"),
    Plant("a queue gives away more", set_(
        kinds.CLUSTER_QUEUE, "research", "spec|resourceGroups|0|flavors|1|resources|2|nominalQuota", "64"),
        "ClusterQueue research", "nominalQuota is 64"),
    Plant("a stranger's queue is in our cohort", stranger, "ClusterQueue shadow", "is in our cohort"),
    Plant("a queue of Volcano is closed", set_(kinds.VOLCANO_QUEUE, "alignment", "status", {"state": "Closed"}),
          "Queue alignment", "is Closed", IB),
    Plant("Volcano found a domain twice", found_twice, "HyperNode network-tier2-b", "same domain as network-tier2-a", IB),
    Plant("the topology has other levels", set_(TOPOLOGY, "network", "spec|levels", [{"nodeLabel": "example.com/rack"}]),
          "Topology network", "spec.levels"),
    Plant("no pod is behind a webhook", set_(kinds.ENDPOINT_SLICE, HOOK, "endpoints", [], "kueue-system"), HOOK,
          "no ready pod is behind it"),
    Plant("the pod behind it is not ready", set_(
        kinds.ENDPOINT_SLICE, HOOK, "endpoints|0|conditions|ready", False, "kueue-system"), HOOK, "no ready pod"),
    Plant("a webhook's Service is gone", gone(kinds.SERVICE, HOOK, "kueue-system"), HOOK, "there is none"),
    Plant("a webhook's certificate ended", set_(
        kinds.VALIDATING, HOOK, "webhooks|0|clientConfig|caBundle", bundle(NOW - timedelta(days=3))), HOOK,
        f"certificate ended on {NOW - timedelta(days=3):%Y-%m-%d}"),
    Plant("a webhook's certificate ends soon", set_(
        kinds.VALIDATING, HOOK, "webhooks|0|clientConfig|caBundle", bundle(NOW + timedelta(days=5))), HOOK,
        f"certificate ends on {NOW + timedelta(days=5):%Y-%m-%d}"),
    Plant("a webhook has no certificate", set_(kinds.VALIDATING, HOOK, "webhooks|0|clientConfig|caBundle", None), HOOK,
          "has no caBundle"),
    Plant("a caBundle holds nothing", set_(kinds.VALIDATING, HOOK, "webhooks|0|clientConfig|caBundle", "Cg=="), HOOK,
          "holds no certificate"),
    Plant("nobody converts a kind", converter, "CRD clusterqueues.kueue.x-k8s.io", "calls Service kueue-system/nobody"),
    Plant("an aggregated API is gone", api, "APIService v1beta1.custom.metrics.k8s.io", "no response from custom metrics"),
    Plant("a CRD is missing", unserved(kinds.MACVLAN_NETWORK), "MacvlanNetwork mellanox.com/v1alpha1", "there is no CRD"),
    Plant("the GPU Operator's CRD is missing", unserved(kinds.CLUSTER_POLICY), "ClusterPolicy nvidia.com/v1", "no CRD"),
    Plant("a CRD lacks our version", both(
        unserved(kinds.CLUSTER_QUEUE), lambda cluster: cluster.add(definition(kinds.CLUSTER_QUEUE, "v1beta1"))),
        "ClusterQueue kueue.x-k8s.io/v1beta2", "only at v1beta1"),
    Plant("a CRD is being deleted", lambda cluster: cluster.add(definition(
        kinds.CLUSTER_QUEUE, "v1beta2", conditions=[condition("Terminating", "True", message="InstanceDeletion")])),
        "CRD clusterqueues", "is being deleted"),
    Plant("a claim waits", set_(kinds.CLAIM, "home", "status|phase", "Pending", "research"), "research/home", "is Pending"),
    Plant("a claim lost its volume", set_(kinds.CLAIM, "home", "status|phase", "Lost", "research"), "research/home", "Lost"),
    Plant("a volume was released", set_(kinds.VOLUME, "research.datasets", "status|phase", "Released"),
          "research.datasets", "its claim was deleted"),
    Plant("the site's class is gone", gone(kinds.STORAGE_CLASS, "ceph-rbd"), "StorageClass ceph-rbd", "is not there"),
    Plant("a namespace is going", set_(kinds.NAMESPACE, "research", "status", {"phase": "Terminating", "conditions": [
        condition("NamespaceFinalizersRemaining", "True", message="jobsets.jobset.x-k8s.io has 2")]}),
        "Namespace research", "is being deleted: jobsets"),
    Plant("a namespace admits less", set_(
        kinds.NAMESPACE, "research", "metadata|labels|pod-security.kubernetes.io/enforce", "baseline"),
        "Namespace research", "enforce is baseline"),
    Plant("Kueue leaves a namespace alone", set_(
        kinds.NAMESPACE, "research", "metadata|labels|kueue-managed", None), "Namespace research", "is not set"),
    Plant("a quota is larger", set_(QUOTA, "team", "spec|hard|requests.nvidia.com/gpu", "99", "research"),
          "ResourceQuota research/team", "nvidia.com/gpu is 99"),
    Plant("a team's limits are gone", gone(LIMITS, "team", "alignment"), "LimitRange alignment/team", "is not there", IB),
    Plant("a team's binding names others", set_(GRANT, "member", "subjects|0|name", "everybody", "research"),
          "RoleBinding research/member", "everybody"),
    Plant("a team's binding is gone", gone(GRANT, "member", "research"), "RoleBinding research/member", "is not there"),
    Plant("a role may more", set_(ROLE, "member", "rules|0|verbs", ["*"], "research"), "Role research/member", "rules[0].verbs"),
    Plant("a network policy is gone", gone(NETWORK_POLICY, "deny-by-default", "research"), "research/deny-by-default",
          "is not there"),
    Plant("a network policy is open", set_(
        NETWORK_POLICY, "deny-by-default", "spec|podSelector", {"matchLabels": {"x": "y"}}, "research"),
        "deny-by-default", "the profile implies all of them"),
    Plant("nobody keeps network policies", lambda cluster: cluster.add(workload("DaemonSet", "kube-flannel", "kube-flannel-ds")),
          "NetworkPolicies", "nobody keeps them: Flannel"),
    Plant("the VPC CNI keeps none", lambda cluster: cluster.add(workload("DaemonSet", "kube-system", "aws-node")),
          "NetworkPolicies", "the VPC CNI without enableNetworkPolicy", EKS),
    Plant("a guard is gone", gone(POLICY, "bedplate-team-node"), "bedplate-team-node", "is not there"),
    Plant("a guard only warns", set_(BINDING, "bedplate-team-node", "spec|validationActions", ["Audit"]),
          "bedplate-team-node", "Audit"),
    Plant("a priority is another", set_(PRIORITY, "training", "value", 5), "PriorityClass training", "value is 5"),
    Plant("the contract is stale", contract("fabric", "infiniband"), "bedplate-workload-contract", "fabric is infiniband"),
    Plant("the contract's facts are stale", set_(
        MAP, "bedplate-workload-contract", "data|facts.json", "{}", "research"), "bedplate-workload-contract", "facts.json"),
    Plant("the contract is gone", gone(MAP, "bedplate-workload-contract", "serving"), "bedplate-workload-contract", "not there"),
    Plant("a network is not ready", set_(kinds.MACVLAN_NETWORK, "research-rail-3", "status", {
        "state": "error", "reason": "no such namespace"}), "research-rail-3", "no such namespace"),
    Plant("a network's definition is gone", no_network, "research-rail-3", "research/research-rail-3 is gone"),
    Plant("a network has another interface", set_(kinds.MACVLAN_NETWORK, "research-rail-3", "spec|master", "eth0"),
          "research-rail-3", "spec.master is eth0"),
    Plant("an address pool is smaller", set_(IP_POOL, "rail-0", "spec|perNodeBlockSize", 2, OPERATOR), "rail-0", "is 2"),
    Plant("an address pool is gone", gone(IP_POOL, "rail-7", OPERATOR), "rail-7", "is not there"),
    Plant("alerts were edited", set_(RULE, "bedplate-gpu", "spec|groups|0|rules|0|for", "99m", "monitoring"), "bedplate-gpu",
          "is 99m"),
    Plant("a runtime starts another image", set_(
        RUNTIME, "torch-h100", "spec|mlPolicy|numNodes", 5, "research"), "TrainingRuntime research/torch-h100", "numNodes"),
    Plant("a server may be evicted", gone(BUDGET, "llama-70b", "serving"), "PodDisruptionBudget", "is not there"),
    Plant("nobody scales a server", set_(kinds.SCALED_OBJECT, "llama-70b", "status|conditions", [
        condition("Ready", "False", message="no query result")], "serving"), "llama-70b", "no query result"),
    Plant("an autoscaler sees nothing", set_(kinds.AUTOSCALER, "llama-8b", "status", {"conditions": [
        condition("ScalingActive", "False", message="no metrics returned")]}, "serving"), "llama-8b", "no metrics", L40S),
    Plant("a server has another model", set_(
        kinds.DEPLOYMENT, "llama-70b", "spec|template|spec|containers|0|image", "vllm/vllm-openai:v0", "serving"),
        "Deployment serving/llama-70b", "vllm/vllm-openai:v0"),
]
# fmt: on
