"""GPU Operator, Network Operator and every other Helm release."""

from collections.abc import Mapping

from review.changes import Change
from review.danger import Danger, Judgement
from review.rules.rule import Rule, always

UPGRADES = "NVIDIA docs, GPU Operator: GPU driver upgrades"
MIG = "NVIDIA docs, GPU Operator: MIG"
HELM = "Helm 3 upgrade of the release"
SUSPENDS = "Kueue docs: manageJobsWithoutQueueName; kubernetes-sigs/kueue pkg/controller/jobframework/reconciler.go"
DRIVER = ("values.driver", "values.kernelModuleType", "values.gdrcopy", "values.gds", "values.daemonsets")
"""What the driver's DaemonSet is made from: its sidecars and tolerations, too (TransformDriver and
applyCommonDaemonsetConfig, NVIDIA/gpu-operator controllers/object_controls.go at v26.7.0)."""
POLICY = ("values.driver.upgradePolicy",)
SLICES = ("values.mig", "values.migManager", "values.devicePlugin.config")
RUNTIME = ("values.toolkit", "values.cdi", "values.operator.runtimeClass", "values.operator.defaultRuntime")


def release(change: Change) -> Judgement:
    """A chart whose pods serve nobody's job while it runs."""
    match change.what:
        case "create":
            return Judgement(Danger.NOTHING, "a new release: nothing uses it yet", HELM)
        case "delete" | "replace":
            return Judgement(Danger.EVICTS_JOBS, "its controller goes, and whoever waits for it with it", HELM)
        case "update":
            return Judgement(Danger.ROLLS_PODS, "Helm applies the chart anew; pods whose template differs roll", HELM)


def gpu_operator(change: Change) -> Judgement:
    """The driver is the dangerous part; a new operator brings a new default driver."""
    owner = change.resource.inputs.get("values", {}).get("driver", {}).get("enabled", True)
    if change.what in ("delete", "replace"):
        return Judgement(Danger.RELOADS, "the operands go, and with them the driver and every GPU pod", UPGRADES)
    if change.what == "create":
        return Judgement(Danger.NOTHING, "new: no GPU is handed out before it is there", UPGRADES)
    if owner and (_touches_driver(change) or _new_driver(change)):
        return Judgement(Danger.RELOADS, WAITS if _waits(change) else RELOADS, UPGRADES)
    if change.touches(*SLICES):
        return Judgement(Danger.EVICTS_JOBS, "GPUs are cut anew: what runs on such a node must end first", MIG)
    if change.touches("version", *RUNTIME):
        return Judgement(Danger.ROLLS_PODS, "operands roll; GPU pods that run keep their devices", UPGRADES)
    return release(change)


RELOADS = "the driver is loaded anew: node by node GPU pods are evicted, as upgradePolicy says"
WAITS = (
    "autoUpgrade is off: a node loads the driver anew when it starts or its driver pod is deleted, "
    "and every GPU pod on it goes then"
)


def _touches_driver(change: Change) -> bool:
    """Its pods, or that those which are out of date are no longer waited with."""
    starts = any(field.path == f"{POLICY[0]}.autoUpgrade" and field.new for field in change.fields)
    return starts or any(field.within(*DRIVER) and not field.within(*POLICY) for field in change.fields)


def _waits(change: Change) -> bool:
    policy = change.resource.inputs.get("values", {}).get("driver", {}).get("upgradePolicy", {})
    return not policy.get("autoUpgrade")


def _new_driver(change: Change) -> bool:
    """A new chart, and no driver version of ours that would stay."""
    stays = change.resource.inputs.get("values", {}).get("driver", {}).get("version")
    return change.touches("version") and not stays


def network_operator(change: Change) -> Judgement:
    """The operator alone; what runs on the nodes is in NicClusterPolicy."""
    if change.touches("values.sriovNetworkOperator", "values.sriov-network-operator"):
        reason = "the SR-IOV operator may configure ports anew, and drains a node to do so"
        return Judgement(Danger.RELOADS, reason, "k8snetworkplumbingwg/sriov-network-operator README, draining")
    return release(change)


def csi(change: Change) -> Judgement:
    """A storage driver: mounts of the kernel stay, new ones wait."""
    if change.what in ("delete", "replace"):
        return Judgement(Danger.EVICTS_JOBS, "without its driver no volume is mounted or let go", "Kubernetes CSI docs")
    return release(change)


def kueue(change: Change) -> Judgement:
    """It holds back what has not asked it, also what runs already."""
    if change.what == "create":
        reason = "it suspends jobs that run already in the teams' namespaces, and admits them again as quota allows"
        return Judgement(Danger.EVICTS_JOBS, reason, SUSPENDS)
    return release(change)


def watcher(change: Change) -> Judgement:
    """What only measures, shows or scales: no job waits for it."""
    if change.what in ("delete", "replace"):
        return Judgement(Danger.ROLLS_PODS, "its pods go; nothing is measured or scaled by it any more", HELM)
    return release(change)


CHARTS: Mapping[str, Rule] = {
    "gpu-operator": gpu_operator,
    "network-operator": network_operator,
    "aws-fsx-csi-driver": csi,
    "exa-csi": csi,
    "kueue": kueue,
    "dcgm-exporter": watcher,
    "keda": watcher,
    "kube-prometheus-stack": watcher,
    "prometheus-adapter": watcher,
    "prometheus-operator-crds": watcher,
}


def crds(change: Change) -> Judgement:
    """Definitions of the pinned chart, applied before it; deleting one deletes every object of its kind."""
    if change.what == "delete":
        return Judgement(Danger.NOTHING, "definitions stay in the cluster (docs/crds.md)", "this stack")
    return Judgement(Danger.NOTHING, "definitions are applied; objects and their stored versions stay", "this stack")


def definition(change: Change) -> Judgement:
    """A CustomResourceDefinition as an object of its own."""
    if change.what in ("delete", "replace"):
        reason = "every object of its kind goes with its definition"
        return Judgement(Danger.LOSES_DATA, reason, "Kubernetes docs: custom resources, delete a definition")
    return crds(change)


def feature_rule(change: Change) -> Judgement:
    """Labels of nodes: selectors and MIG layouts hang on them."""
    if change.touches("spec") and "mig" in str(change.resource.inputs).lower():
        return Judgement(Danger.EVICTS_JOBS, "GPUs are cut anew where the label changes", MIG)
    if change.what == "create":
        return Judgement(Danger.NOTHING, "labels are added", "node-feature-discovery docs: NodeFeatureRule")
    reason = "labels of nodes change: pods that run stay, what waits may go elsewhere"
    return Judgement(Danger.NOTHING, reason, "node-feature-discovery docs: NodeFeatureRule")


cluster_policy = always(Danger.NOTHING, "a gate: it only waits until the operator reports ready", "this stack")
"""The gate on its status, not the policy itself: that is the release's."""
RULES: Mapping[str, Rule] = {
    "ClusterPolicy": cluster_policy,
    "Directory": release,
    "Crds": crds,
    "CustomResourceDefinition": definition,
    "NodeFeatureRule": feature_rule,
    "NodesProof": cluster_policy,
}
