"""Kinds of the API server, and where their lists are."""

from typing import NamedTuple

from bedplate.cluster.objects import Object, place


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

    def title(self, obj: Object) -> str:
        """An object of this kind as findings show it: `Deployment team/name`."""
        return f"{self.kind} {'/'.join(filter(None, place(obj)))}"

    def __str__(self) -> str:
        """As people say it: `ClusterQueue kueue.x-k8s.io/v1beta2`."""
        return f"{self.kind} {self.version}"


NODE, NAMESPACE, POD, SERVICE, SERVICE_ACCOUNT, CONFIG_MAP, CLAIM, VOLUME = (
    Kind("v1", kind)
    for kind in (
        *("Node", "Namespace", "Pod", "Service", "ServiceAccount", "ConfigMap"),
        *("PersistentVolumeClaim", "PersistentVolume"),
    )
)
DEPLOYMENT, STATEFUL_SET, DAEMON_SET = (Kind("apps/v1", kind) for kind in ("Deployment", "StatefulSet", "DaemonSet"))
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
SRIOV_STATE, SRIOV_NETWORK, SRIOV_IB_NETWORK, VIRTUAL_FUNCTIONS = (
    Kind("sriovnetwork.openshift.io/v1", f"Sriov{kind}")
    for kind in ("NetworkNodeState", "Network", "IBNetwork", "NetworkNodePolicy")
)
IP_POOL, CIDR_POOL = (Kind("nv-ipam.nvidia.com/v1alpha1", kind) for kind in ("IPPool", "CIDRPool"))
ATTACHMENT = Kind("k8s.cni.cncf.io/v1", "NetworkAttachmentDefinition")
CLUSTER_QUEUE, LOCAL_QUEUE, FLAVOR, WORKLOAD, TOPOLOGY = (
    Kind("kueue.x-k8s.io/v1beta2", kind)
    for kind in ("ClusterQueue", "LocalQueue", "ResourceFlavor", "Workload", "Topology")
)
VOLCANO_QUEUE, POD_GROUP = (Kind("scheduling.volcano.sh/v1beta1", kind) for kind in ("Queue", "PodGroup"))
HYPER_NODE = Kind("topology.volcano.sh/v1alpha1", "HyperNode")
SCALED_OBJECT = Kind("keda.sh/v1alpha1", "ScaledObject")
AUTOSCALER = Kind("autoscaling/v2", "HorizontalPodAutoscaler")
JOB = Kind("batch/v1", "Job")
PROMETHEUS = Kind("monitoring.coreos.com/v1", "Prometheus")
EC2_NODE_CLASS = Kind("karpenter.k8s.aws/v1", "EC2NodeClass")
SERVICE_CIDR, OPENSHIFT_NETWORK = Kind("networking.k8s.io/v1", "ServiceCIDR"), Kind("config.openshift.io/v1", "Network")
