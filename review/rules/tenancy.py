"""Namespaces, volumes, secrets, and who may do what."""

from collections.abc import Mapping

from components.quantity import amount
from review.changes import Change
from review.danger import Danger, Judgement
from review.rules.rule import Rule, always

RBAC = "Kubernetes docs: RBAC"
NAMESPACES = "Kubernetes docs: namespaces"
VOLUMES = "Kubernetes docs: persistent volumes, reclaiming"
GROWING = "Kubernetes docs: persistent volumes, expanding claims"
CLASSES = "Kubernetes docs: storage classes; ValidateStorageClassUpdate of kubernetes/kubernetes"


def namespace(change: Change) -> Judgement:
    """Everything in it goes with it."""
    if change.what in ("delete", "replace"):
        return Judgement(Danger.LOSES_DATA, "all that is in it is deleted with it, claims and jobs too", NAMESPACES)
    if change.touches("metadata.labels"):
        return Judgement(Danger.NOTHING, "labels decide about pods that come later", "Kubernetes docs: pod security")
    return Judgement(Danger.NOTHING, "nothing in it is touched", NAMESPACES)


def leaving(change: Change) -> Judgement:
    """Makes nothing, and deletes its team's namespace when it goes (`components/tenancy/leaving.py`)."""
    if change.what == "delete":
        return Judgement(
            Danger.LOSES_DATA, "it deletes the team's namespace, and waits until all of it is gone", NAMESPACES
        )
    return Judgement(Danger.NOTHING, "it only stands for the end of the team's namespace", NAMESPACES)


def claim(change: Change) -> Judgement:
    """Data, as far as its volume's reclaim policy lets go of it."""
    fixed = bool(change.resource.inputs.get("spec", {}).get("volumeName"))
    if change.what in ("delete", "replace") and fixed:
        return Judgement(Danger.EVICTS_JOBS, "pods lose it; about its data the volume that it names decides", VOLUMES)
    if change.what in ("delete", "replace"):
        return Judgement(Danger.LOSES_DATA, "the claim goes, and with reclaim policy Delete its data", VOLUMES)
    for field in change.fields:
        if field.within("spec.resources.requests.storage"):
            return _resized(amount(str(field.old)) > amount(str(field.new)), fixed=fixed)
    return Judgement(Danger.NOTHING, "what is bound stays bound", VOLUMES)


def _resized(shrinks: bool, *, fixed: bool) -> Judgement:  # noqa: FBT001 - a fact, and no switch
    """What exists keeps its size: only a class that provisions can make it larger."""
    if shrinks:
        return Judgement(Danger.REFUSED, "a claim never shrinks: make another one, and copy", GROWING)
    if fixed:
        reason = "a volume that nobody provisions does not grow: leave its size; the file system keeps its own quotas"
        return Judgement(Danger.REFUSED, reason, GROWING)
    reason = "grows where its class says allowVolumeExpansion, and is refused otherwise"
    return Judgement(Danger.UNKNOWN, reason, GROWING)


def volume(change: Change) -> Judgement:
    """Retained by this stack; a new one in its place needs its claim anew."""
    retained = change.resource.inputs.get("spec", {}).get("persistentVolumeReclaimPolicy") == "Retain"
    if change.what not in ("delete", "replace"):
        return Judgement(Danger.NOTHING, "what is mounted stays mounted", VOLUMES)
    if retained:
        return Judgement(Danger.EVICTS_JOBS, "data stay (Retain), but the claim is lost to its pods", VOLUMES)
    return Judgement(Danger.LOSES_DATA, "its reclaim policy is not Retain", VOLUMES)


def storage_class(change: Change) -> Judgement:
    """Of volumes that come later."""
    if change.what == "delete":
        return Judgement(Danger.EVICTS_JOBS, "claims that name it wait; volumes that exist stay", VOLUMES)
    if change.what == "update" and change.touches("reclaimPolicy", "volumeBindingMode"):
        return Judgement(Danger.REFUSED, "neither can change: delete the class first, its volumes stay", CLASSES)
    return Judgement(Danger.NOTHING, "only volumes that are made later see it", VOLUMES)


def right(change: Change) -> Judgement:
    """Who may do what; nothing that runs asks again, but for controllers."""
    if change.what == "delete":
        return Judgement(Danger.NOTHING, "what runs goes on; whoever held the right is refused from now on", RBAC)
    return Judgement(Danger.NOTHING, "rights of requests that come later", RBAC)


DASHBOARD = "grafana_dashboard"


def settings(change: Change) -> Judgement:
    """ConfigMaps and Secrets: read when a pod starts, or mounted."""
    metadata = change.resource.inputs.get("metadata", {})
    if DASHBOARD in (metadata.get("labels") or {}):
        return Judgement(Danger.NOTHING, "a dashboard: Grafana's sidecar loads it", "Grafana chart: sidecar.dashboards")
    if change.what == "delete":
        return Judgement(Danger.ROLLS_PODS, "pods that name it do not start again", "Kubernetes docs: ConfigMaps")
    if metadata.get("namespace") == "gpu-operator" and change.what != "create":
        return Judgement(
            Danger.ROLLS_PODS, "operands that read it start anew", "NVIDIA docs, GPU Operator: time-slicing"
        )
    return Judgement(
        Danger.NOTHING, "pods read it when they start; mounted copies follow", "Kubernetes docs: ConfigMaps"
    )


admission = always(
    Danger.NOTHING, "asked only when an object is made or changed", "Kubernetes docs: admission policies"
)
"""Asked when objects are made or changed."""
RULES: Mapping[str, Rule] = {
    "Namespace": namespace,
    "Leaving": leaving,
    "PersistentVolumeClaim": claim,
    "PersistentVolume": volume,
    "StorageClass": storage_class,
    "Role": right,
    "RoleBinding": right,
    "ClusterRole": right,
    "ClusterRoleBinding": right,
    "ServiceAccount": right,
    "ValidatingAdmissionPolicy": admission,
    "ValidatingAdmissionPolicyBinding": admission,
    "LimitRange": admission,
    "ConfigMap": settings,
    "Secret": settings,
}
