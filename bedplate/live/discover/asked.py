"""What is listed to describe a cluster: kinds that everybody has, and those of operators that may be there."""

from bedplate.live import kinds
from bedplate.live.kinds import Kind

PROMETHEUS = Kind("monitoring.coreos.com/v1", "Prometheus")
TOPOLOGY = Kind("kueue.x-k8s.io/v1beta2", "Topology")
IP_POOL, CIDR_POOL = (Kind("nv-ipam.nvidia.com/v1alpha1", kind) for kind in ("IPPool", "CIDRPool"))
SRIOV_NETWORK, SRIOV_IB_NETWORK, VIRTUAL_FUNCTIONS = (
    Kind("sriovnetwork.openshift.io/v1", kind) for kind in ("SriovNetwork", "SriovIBNetwork", "SriovNetworkNodePolicy")
)
SERVICE_CIDR, OPENSHIFT_NETWORK = Kind("networking.k8s.io/v1", "ServiceCIDR"), Kind("config.openshift.io/v1", "Network")
NEEDED = (kinds.NODE, kinds.DEPLOYMENT, kinds.STATEFUL_SET, kinds.DAEMON_SET)
"""Without one of these the profile has holes that are said."""
ASKED = (
    *NEEDED,
    kinds.STORAGE_CLASS,
    kinds.CLUSTER_POLICY,
    kinds.NIC_CLUSTER_POLICY,
    kinds.NIC_NODE_POLICY,
    kinds.ATTACHMENT,
    kinds.MACVLAN_NETWORK,
    kinds.IPOIB_NETWORK,
    kinds.HOST_DEVICE_NETWORK,
    SRIOV_NETWORK,
    SRIOV_IB_NETWORK,
    VIRTUAL_FUNCTIONS,
    kinds.LOCAL_QUEUE,
    IP_POOL,
    CIDR_POOL,
    TOPOLOGY,
    SERVICE_CIDR,
    OPENSHIFT_NETWORK,
    PROMETHEUS,
)
