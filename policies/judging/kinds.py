"""Which kinds the checker knows: those of Kubernetes itself and those that rules look at.

A kind that is not here may be misspelt or new: it is named at the end of a check, never passed over in silence.
"""

from bedplate.components.workload.controllers import CONTROLLERS
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.release import TYPES
from bedplate.policies.resources.workloads import workload_of
from bedplate.policies.rule import REGISTRY

BUILT_IN = {
    "core": "Binding ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume PersistentVolumeClaim Pod "
    "PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount",
    "admissionregistration.k8s.io": "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding ValidatingAdmissionPolicy "
    "ValidatingAdmissionPolicyBinding MutatingWebhookConfiguration ValidatingWebhookConfiguration",
    "apiextensions.k8s.io": "CustomResourceDefinition",
    "apiregistration.k8s.io": "APIService",
    "apps": "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
    "autoscaling": "HorizontalPodAutoscaler",
    "batch": "CronJob Job",
    "certificates.k8s.io": "CertificateSigningRequest ClusterTrustBundle",
    "coordination.k8s.io": "Lease",
    "discovery.k8s.io": "EndpointSlice",
    "events.k8s.io": "Event",
    "flowcontrol.apiserver.k8s.io": "FlowSchema PriorityLevelConfiguration",
    "networking.k8s.io": "Ingress IngressClass IPAddress NetworkPolicy ServiceCIDR",
    "node.k8s.io": "RuntimeClass",
    "policy": "PodDisruptionBudget",
    "rbac.authorization.k8s.io": "ClusterRole ClusterRoleBinding Role RoleBinding",
    "resource.k8s.io": "DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice",
    "scheduling.k8s.io": "PriorityClass",
    "storage.k8s.io": "CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass",
}
"""By API group, kubernetes/kubernetes 1.35 pkg/apis."""
OPERATORS = {
    "k8s.cni.cncf.io": "NetworkAttachmentDefinition",
    "keda.sh": "ClusterTriggerAuthentication ScaledObject",
    "kueue.x-k8s.io": "AdmissionCheck ClusterQueue Cohort LocalQueue ProvisioningRequestConfig ResourceFlavor Topology "
    "WorkloadPriorityClass",
    "mellanox.com": "HostDeviceNetwork IPoIBNetwork MacvlanNetwork NicClusterPolicy",
    "monitoring.googleapis.com": "ClusterPodMonitoring ClusterRules PodMonitoring Rules",
    "monitoring.coreos.com": "PodMonitor PrometheusRule ServiceMonitor",
    "nv-ipam.nvidia.com": "CIDRPool IPPool",
    "nvidia.com": "ClusterPolicy NVIDIADriver",
    "resource.nvidia.com": "ComputeDomain",
    "scheduling.volcano.sh": "PodGroup Queue",
    "sriovnetwork.openshift.io": "SriovIBNetwork SriovNetwork SriovNetworkNodePolicy SriovNetworkPoolConfig "
    "SriovOperatorConfig",
}
"""By API group: the custom resources, other than workloads, that rules read or that go with those."""
KNOWN = {
    (group, kind) for table in (BUILT_IN, OPERATORS) for group, kinds in table.items() for kind in kinds.split()
} | {(each.group, kind) for each in CONTROLLERS.values() for kind in each.kinds}


def known(resource: Resource) -> bool:
    """Whether a rule may look at a resource, or knows that there is nothing to look at."""
    known_by_group = (resource.group, resource.kind) in KNOWN or resource.type in TYPES
    elsewhere = not resource.type.startswith("kubernetes:") or workload_of(resource) is not None
    return known_by_group or elsewhere or any(resource.kind in each.on for each in REGISTRY.values())
