"""NVIDIA Network Operator: the controller behind `NicClusterPolicy`, with the SR-IOV operator where it is wanted.

Since chart 24.10.0 it deploys nothing by itself: what runs on the nodes is said in `nic_cluster_policy.py`.
"""

from math import ceil
from typing import Any, Literal

import pulumi
from pydantic import PositiveInt

from components.chart import Chart
from components.facts import Args, Facts, NodePool
from components.namespace import namespace
from components.platforms import PLATFORMS, Cni
from components.section import HelmSection, Seconds, Section
from components.version import line

OLDER = ("24.7.0", "24.10.0", "25.1.0", "25.4.0", "25.7.0", "25.10.0", "26.1.2")
# renovate: datasource=helm registryUrl=https://helm.ngc.nvidia.com/nvidia depName=network-operator
CHART = Chart(
    "https://helm.ngc.nvidia.com/nvidia",
    "network-operator",
    "26.4.1",
    namespace="nvidia-network-operator",
    older=OLDER,
    groups=("mellanox.com", "nv-ipam.nvidia.com", "sriovnetwork.openshift.io"),
    crds="hook",
)


class OfedDriver(Section):
    """DOCA-OFED in a container, for nodes whose image has only the inbox driver and that need more."""

    primary_nic: Literal["other-vendor", "nvidia"] | None = None
    """Whose card carries the nodes' own network. The driver is reloaded on all of NVIDIA's, and VLANs, bonds and OVS
    on them are lost (Network Operator release notes); required where the shape has NVIDIA NICs beside the rails."""
    version: str | None = None
    """Driver instead of the one that belongs to the operator's release."""
    unload_storage_modules: bool = True
    """Unload NVMe-oF modules of the host while the driver is replaced; needed where they are loaded."""
    nfs_rdma: bool = False
    """Load NFS over RDMA with the driver, for mounts of the nodes and GPUDirect Storage on NFS (ENABLE_NFSRDMA). There
    is no NVMe over RDMA beside it, and on nodes with NVMe modules loaded the driver does not start: with NVMe disks
    leave it off (Network Operator documentation, DOCA-OFED driver; release notes 24.7.0)."""


class NetworkOperatorSection(HelmSection):
    """How the fabric's devices get to pods."""

    ofed: OfedDriver | None = None
    """Install DOCA-OFED; absent: the inbox driver or the node image's own."""
    shared_pods_per_node: int = 63
    """Pods that may use a node's shared HCAs at the same time (rdmaHcaMax)."""
    max_unavailable: PositiveInt | None = None
    """Nodes of a pool that may be drained at a time for their virtual functions; by default a tenth of them."""
    ready_timeout: Seconds = 3600
    """How long all nodes may take; compiling OFED or making virtual functions is slow."""


class NetworkOperator(pulumi.ComponentResource):
    """Installs the operator and its CRDs."""

    namespace: pulumi.Output[str]
    """Where the operator, its operands and the IP pools live."""

    def __init__(
        self, name: str, args: Args[NetworkOperatorSection], opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("bedplate:operators:NetworkOperator", name, opts=opts)
        child = pulumi.ResourceOptions(parent=self)
        home = namespace(CHART.namespace, "privileged", child)
        self.namespace = home.metadata.name
        CHART.release("network-operator", args, namespace=self.namespace, values=helm_values(args), opts=child)
        self.register_outputs({"namespace": self.namespace})


def helm_values(args: Args[NetworkOperatorSection]) -> dict[str, Any]:
    """The few keys that the chart has left, the same from 24.7.0 on."""
    legacy = line(CHART.at(args.section).version) < (24, 10)
    return {
        # The rules make the label pci-15b3.present that every device plugin selects on; they need NFD's CRDs, not its
        # copy.
        "nfd": {"enabled": False, "deployNodeFeatureRules": True},
        "sriovNetworkOperator": {"enabled": args.facts.fabric.exposure == "sriov"},
        **_cni_values(PLATFORMS[args.facts.platform].cni),
        # Up to 24.7 the chart could write the policy itself; it is ours.
        **({"deployCR": False} if legacy else {}),
    }


def _cni_values(where: Cni) -> dict[str, Any]:
    """Both operators are told where nodes look for plug-ins, if not where most do: else pods start without a rail."""
    if where == Cni():
        return {}
    return {
        "operator": {"cniBinDirectory": where.binaries, "cniNetworkDirectory": where.networks},
        "sriov-network-operator": {"operator": {"cniBinPath": where.binaries}},
    }


def at_a_time(section: NetworkOperatorSection, pool: NodePool) -> int:
    """Nodes whose ports may be cut anew together."""
    return section.max_unavailable or max(1, pool.nodes // 10)


def rounds(section: NetworkOperatorSection, facts: Facts) -> int:
    """How often the SR-IOV operator drains before every node has its virtual functions; pools go side by side."""
    sriov = facts.fabric.exposure == "sriov"
    return max((ceil(p.nodes / at_a_time(section, p)) for p in facts.fabric_pools if sriov), default=0)
