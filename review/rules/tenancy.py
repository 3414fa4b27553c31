"""Namespaces, volumes, secrets, and who may do what."""

from collections.abc import Mapping

from review.changes import Change
from review.danger import Danger, Judgement
from review.rules.rule import Rule, always

RBAC = "Kubernetes docs: RBAC"
NAMESPACES = "Kubernetes docs: namespaces"
VOLUMES = "Kubernetes docs: persistent volumes, reclaiming"


def namespace(change: Change) -> Judgement:
    """Everything in it goes with it."""
    if change.what in ("delete", "replace"):
        return Judgement(Danger.LOSES_DATA, "all that is in it is deleted with it, claims and jobs too", NAMESPACES)
    if change.touches("metadata.labels"):
        return Judgement(Danger.NOTHING, "labels decide about pods that come later", "Kubernetes docs: pod security")
    return Judgement(Danger.NOTHING, "nothing in it is touched", NAMESPACES)


def claim(change: Change) -> Judgement:
    """Data, as far as its volume's reclaim policy lets go of it."""
    if change.what in ("delete", "replace") and change.resource.inputs.get("spec", {}).get("volumeName"):
        return Judgement(Danger.EVICTS_JOBS, "pods lose it; about its data the volume that it names decides", VOLUMES)
    if change.what in ("delete", "replace"):
        return Judgement(Danger.LOSES_DATA, "the claim goes, and with reclaim policy Delete its data", VOLUMES)
    return Judgement(Danger.NOTHING, "a claim only grows", VOLUMES)


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
    return Judgement(Danger.NOTHING, "only volumes that are made later see it", VOLUMES)


def right(change: Change) -> Judgement:
    """Who may do what; nothing that runs asks again, but for controllers."""
    if change.what == "delete":
        return Judgement(Danger.NOTHING, "what runs goes on; whoever held the right is refused from now on", RBAC)
    return Judgement(Danger.NOTHING, "rights of requests that come later", RBAC)


def settings(change: Change) -> Judgement:
    """ConfigMaps and Secrets: read when a pod starts, or mounted."""
    if change.what == "delete":
        return Judgement(Danger.ROLLS_PODS, "pods that name it do not start again", "Kubernetes docs: ConfigMaps")
    if change.resource.inputs.get("metadata", {}).get("namespace") == "gpu-operator" and change.what != "create":
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
