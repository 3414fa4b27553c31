"""API versions that Kubernetes has stopped to serve."""

from bedplate.policies.facts import Facts
from bedplate.policies.resources.model import Resource
from bedplate.policies.rule import MANDATORY, Complaint, Complaints, Edit, rule
from bedplate.policies.values import dig, tree, version

PODS = ("Deployment", "DaemonSet", "StatefulSet", "ReplicaSet")
RBAC = ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")
STORAGE = ("CSIDriver", "CSINode", "StorageClass", "VolumeAttachment")
WEBHOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
FLOWS = ("FlowSchema", "PriorityLevelConfiguration")
GONE: dict[tuple[str, str], tuple[str, str]] = {
    **{
        (api, kind): ("1.16", "apps/v1")
        for kind in PODS
        for api in ("extensions/v1beta1", "apps/v1beta1", "apps/v1beta2")
    },
    ("extensions/v1beta1", "NetworkPolicy"): ("1.16", "networking.k8s.io/v1"),
    ("extensions/v1beta1", "PodSecurityPolicy"): ("1.16", ""),
    **{
        ("admissionregistration.k8s.io/v1beta1", kind): ("1.22", "admissionregistration.k8s.io/v1") for kind in WEBHOOKS
    },
    ("apiextensions.k8s.io/v1beta1", "CustomResourceDefinition"): ("1.22", "apiextensions.k8s.io/v1"),
    ("apiregistration.k8s.io/v1beta1", "APIService"): ("1.22", "apiregistration.k8s.io/v1"),
    ("certificates.k8s.io/v1beta1", "CertificateSigningRequest"): ("1.22", "certificates.k8s.io/v1"),
    ("coordination.k8s.io/v1beta1", "Lease"): ("1.22", "coordination.k8s.io/v1"),
    ("extensions/v1beta1", "Ingress"): ("1.22", "networking.k8s.io/v1"),
    ("networking.k8s.io/v1beta1", "Ingress"): ("1.22", "networking.k8s.io/v1"),
    ("networking.k8s.io/v1beta1", "IngressClass"): ("1.22", "networking.k8s.io/v1"),
    **{("rbac.authorization.k8s.io/v1beta1", kind): ("1.22", "rbac.authorization.k8s.io/v1") for kind in RBAC},
    ("scheduling.k8s.io/v1beta1", "PriorityClass"): ("1.22", "scheduling.k8s.io/v1"),
    **{("storage.k8s.io/v1beta1", kind): ("1.22", "storage.k8s.io/v1") for kind in STORAGE},
    ("batch/v1beta1", "CronJob"): ("1.25", "batch/v1"),
    ("discovery.k8s.io/v1beta1", "EndpointSlice"): ("1.25", "discovery.k8s.io/v1"),
    ("autoscaling/v2beta1", "HorizontalPodAutoscaler"): ("1.25", "autoscaling/v2"),
    ("policy/v1beta1", "PodDisruptionBudget"): ("1.25", "policy/v1"),
    ("policy/v1beta1", "PodSecurityPolicy"): ("1.25", ""),
    ("node.k8s.io/v1beta1", "RuntimeClass"): ("1.25", "node.k8s.io/v1"),
    ("autoscaling/v2beta2", "HorizontalPodAutoscaler"): ("1.26", "autoscaling/v2"),
    ("storage.k8s.io/v1beta1", "CSIStorageCapacity"): ("1.27", "storage.k8s.io/v1"),
    **{
        (f"flowcontrol.apiserver.k8s.io/v1beta{n}", kind): ("1.29", "flowcontrol.apiserver.k8s.io/v1")
        for n in (1, 2)
        for kind in FLOWS
    },
    **{("flowcontrol.apiserver.k8s.io/v1beta3", kind): ("1.32", "flowcontrol.apiserver.k8s.io/v1") for kind in FLOWS},
}
"""By version and kind, the release of Kubernetes that no longer serves it, and the version that it does serve."""
SAME = {
    *("NetworkPolicy", "APIService", "Lease", "IngressClass", *RBAC, "PriorityClass", *STORAGE, "CronJob"),
    *("RuntimeClass", "PodDisruptionBudget"),
}
"""Kinds whose fields are those of the old version; of the others some were renamed, or are asked for now."""


@rule(
    "OBJ-905",
    "The API version is served",
    MANDATORY,
    on=Resource,
    why="The API server has no such kind: nothing of the file is applied, or its release fails",
    fix="Write the version that is served, with its fields",
    source="Kubernetes documentation, Deprecated API Migration Guide",
    proof="the release of Kubernetes that took the version away",
)
def served(resource: Resource, facts: Facts) -> Complaints:
    """Judged for the release that the facts name, else for those of today, none of which serves any of them."""
    release, other = GONE.get((resource.api_version, resource.kind), ("", ""))
    if not release or version(facts.kubernetes_version or release) < version(release):
        return
    what = f"{resource.api_version} {resource.kind} is gone since Kubernetes {release}"
    budget = resource.kind == "PodDisruptionBudget"  # an empty selector was none, and is everything now
    same = resource.kind in SAME and (not budget or tree(dig(resource.spec, "selector")))
    edits = (Edit(resource.props, "apiVersion", other),) if same else ()
    yield Complaint(what, f"Write {other}" if other else "Remove it", edits=edits)
