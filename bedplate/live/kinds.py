"""Kinds of the API server, and where their lists are."""

from typing import NamedTuple


class Kind(NamedTuple):
    """A kind at one version of its API."""

    version: str
    kind: str

    @property
    def group(self) -> str:
        """Its API group; empty for Kubernetes' first."""
        return self.version.rpartition("/")[0]

    @property
    def home(self) -> str:
        """Path of its group's version, which says what is served there and below which plural."""
        return f"/{'apis' if self.group else 'api'}/{self.version}"

    def path(self, plural: str, namespace: str = "") -> str:
        """Where the API server lists them; the plural is for it to say, as a definition may choose any."""
        place = f"namespaces/{namespace}/" if namespace else ""
        return f"{self.home}/{place}{plural}"

    def __str__(self) -> str:
        """As people say it: `ClusterQueue kueue.x-k8s.io/v1beta2`."""
        return f"{self.kind} {self.version}"


def core(kind: str) -> Kind:
    """Of Kubernetes' first group."""
    return Kind("v1", kind)


def apps(kind: str) -> Kind:
    """Of the workloads' group."""
    return Kind("apps/v1", kind)


NODE, NAMESPACE, POD, SERVICE = (core(kind) for kind in ("Node", "Namespace", "Pod", "Service"))
CONFIG_MAP = core("ConfigMap")
CLAIM, VOLUME = core("PersistentVolumeClaim"), core("PersistentVolume")
DEPLOYMENT, STATEFUL_SET, DAEMON_SET = (apps(kind) for kind in ("Deployment", "StatefulSet", "DaemonSet"))
STORAGE_CLASS, CSI_DRIVER = (Kind("storage.k8s.io/v1", kind) for kind in ("StorageClass", "CSIDriver"))
ENDPOINT_SLICE = Kind("discovery.k8s.io/v1", "EndpointSlice")
DEFINITION = Kind("apiextensions.k8s.io/v1", "CustomResourceDefinition")
API_SERVICE = Kind("apiregistration.k8s.io/v1", "APIService")
VALIDATING, MUTATING = (
    Kind("admissionregistration.k8s.io/v1", f"{what}WebhookConfiguration") for what in ("Validating", "Mutating")
)
CLUSTER_POLICY = Kind("nvidia.com/v1", "ClusterPolicy")
NIC_CLUSTER_POLICY, NIC_NODE_POLICY, MACVLAN_NETWORK, IPOIB_NETWORK, HOST_DEVICE_NETWORK = (
    Kind("mellanox.com/v1alpha1", kind)
    for kind in ("NicClusterPolicy", "NicNodePolicy", "MacvlanNetwork", "IPoIBNetwork", "HostDeviceNetwork")
)
SRIOV_STATE = Kind("sriovnetwork.openshift.io/v1", "SriovNetworkNodeState")
ATTACHMENT = Kind("k8s.cni.cncf.io/v1", "NetworkAttachmentDefinition")
CLUSTER_QUEUE, LOCAL_QUEUE, FLAVOR = (
    Kind("kueue.x-k8s.io/v1beta2", kind) for kind in ("ClusterQueue", "LocalQueue", "ResourceFlavor")
)
VOLCANO_QUEUE = Kind("scheduling.volcano.sh/v1beta1", "Queue")
HYPER_NODE = Kind("topology.volcano.sh/v1alpha1", "HyperNode")
SCALED_OBJECT = Kind("keda.sh/v1alpha1", "ScaledObject")
AUTOSCALER = Kind("autoscaling/v2", "HorizontalPodAutoscaler")
JOB = Kind("batch/v1", "Job")
