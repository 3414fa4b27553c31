"""NVIDIA Network Operator: the controller behind `NicClusterPolicy`, with the SR-IOV operator where it is wanted.

Since chart 24.10.0 it deploys nothing by itself: what runs on the nodes is said in `nic_cluster_policy.py`.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, PositiveInt

from bedplate.components.chart import Chart
from bedplate.components.component import Installed
from bedplate.components.facts import Args
from bedplate.components.operators.nic_settings import NicSettings
from bedplate.components.platforms import PLATFORMS, Cni
from bedplate.components.section import DnsLabel, HelmSection, Seconds, Section

CHART = Chart.of("network-operator")


CONFIGURED = "network.nvidia.com/operator.nic-configuration.wait"
"""Node label, "false" once the NICs' firmware is as asked."""
FEATURE_GATES_SINCE = (24, 10)
"""From here the SR-IOV operator's chart has gates."""


class OfedDriver(Section):
    """DOCA-OFED in a container, for nodes whose image has only the inbox driver and that need more."""

    primary_nic: Literal["other-vendor", "nvidia"] | None = None
    """Whose card carries the nodes' own network. The driver is reloaded on all of NVIDIA's, and VLANs, bonds and OVS
    on them are lost (Network Operator release notes); required where the shape has NVIDIA NICs beside the rails."""
    version: str | None = None
    """Driver instead of the one that belongs to the operator's release."""
    unload_storage_modules: bool = True
    """Unload NVMe-oF modules of the host while the driver is replaced; needed where they are loaded."""
    env: Mapping[str, str] = Field(default_factory=dict)
    """Further variables of the driver container, such as HTTPS_PROXY and NO_PROXY: it fetches packages of the node's
    system and builds the driver."""
    repo_config: DnsLabel | None = None
    """ConfigMap of yours in the operator's namespace with package repositories, for sites without internet."""
    cert_config: DnsLabel | None = None
    """ConfigMap of yours there with the certificates that they need."""
    nfs_rdma: bool = False
    """Load NFS over RDMA with the driver, for mounts of the nodes and GPUDirect Storage on NFS (ENABLE_NFSRDMA). There
    is no NVMe over RDMA beside it, and on nodes with NVMe modules loaded the driver does not start: with NVMe disks
    leave it off (Network Operator documentation, DOCA-OFED driver; release notes 24.7.0)."""


class NetworkOperatorSection(HelmSection):
    """How the fabric's devices get to pods."""

    image_repository: Annotated[str, Field(pattern=r"^[a-zA-Z0-9./:-]+[^/]$")] | None = None
    """Where nodes get the operands' images from, such as registry.example.com/mellanox; by default NVIDIA's registry.
    Images of the operators themselves are values of their chart (`overrides`)."""
    image_pull_secrets: tuple[DnsLabel, ...] = ()
    """Secrets of yours in the operator's namespace by which nodes get them."""
    ofed: OfedDriver | None = None
    """Install DOCA-OFED; absent: the inbox driver or the node image's own."""
    shared_pods_per_node: int = 63
    """Pods that may use a node's shared HCAs at the same time (rdmaHcaMax)."""
    max_unavailable: PositiveInt | None = None
    """Nodes of a pool that may be drained at a time for virtual functions and firmware; by default a tenth of them."""
    nics: tuple[NicSettings, ...] = ()
    """Firmware settings of the rails' NICs (docs/hosts.md); absent: whoever set the nodes up has done it."""
    ready_timeout: Seconds = 3600
    """How long all nodes may take; compiling OFED or making virtual functions is slow."""

    def at_a_time(self, nodes: int) -> int:
        """Of a pool with so many nodes: those whose ports may be cut anew together."""
        return self.max_unavailable or max(1, nodes // 10)


class NetworkOperator(
    Installed[NetworkOperatorSection],
    token="bedplate:operators:NetworkOperator",
    release="network-operator",
    level="privileged",
):
    """Installs the operator and its CRDs."""


def helm_values(args: Args[NetworkOperatorSection]) -> dict[str, Any]:
    """The few keys that the chart has left, the same from 24.7.0 on."""
    legacy = CHART.at(args.section).line < (24, 10)
    return {
        # The rules make the label pci-15b3.present that every device plugin selects on; they need NFD's CRDs, not its
        # copy.
        "nfd": {"enabled": False, "deployNodeFeatureRules": True},
        "sriovNetworkOperator": {"enabled": args.facts.fabric.exposure == "sriov"},
        **_maintenance_values(args),
        **_subchart(_sriov_config(args), PLATFORMS[args.facts.platform].cni),
        # Up to 24.7 the chart could write the policy itself; it is ours.
        **({"deployCR": False} if legacy else {}),
    }


def _subchart(config: dict[str, Any], where: Cni) -> dict[str, Any]:
    """Both operators are told where nodes look for plug-ins, if not where most do: else pods start without a rail."""
    elsewhere = where != Cni()
    sriov = {
        **({"operator": {"cniBinPath": where.binaries}} if elsewhere else {}),
        **({"sriovOperatorConfig": config} if config else {}),
    }
    return {
        **(
            {"operator": {"cniBinDirectory": where.binaries, "cniNetworkDirectory": where.networks}}
            if elsewhere
            else {}
        ),
        **({"sriov-network-operator": sriov} if sriov else {}),
    }


def _sriov_config(args: Args[NetworkOperatorSection]) -> dict[str, Any]:
    """How the SR-IOV operator shares the firmware with others.

    It leaves it to the NIC Configuration Operator where that has settings, and else resets it itself before a restart
    that would not: with a BMC that keeps NICs powered nodes would restart for ever (Network Operator documentation,
    "Platforms with external BMC").
    """
    release = CHART.at(args.section).line
    if args.facts.fabric.exposure != "sriov":
        return {}
    if args.section.nics:
        return {"configDaemonNodeSelector": {CONFIGURED: "false"}, "disablePlugins": ["mellanox"]}
    resets = release >= FEATURE_GATES_SINCE and any(pool.keeps_nics_on for pool in args.facts.fabric_pools)
    return {"featureGates": {"mellanoxFirmwareReset": True}} if resets else {}


def _maintenance_values(args: Args[NetworkOperatorSection]) -> dict[str, Any]:
    """Who drains nodes for their firmware: by default one node of the cluster after the other."""
    if not args.section.nics:
        return {}
    together = sum(args.section.at_a_time(pool.nodes) for pool in args.facts.fabric_pools)
    return {
        "maintenanceOperator": {"enabled": True},
        "maintenance-operator-chart": {"operatorConfig": {"deploy": True, "maxParallelOperations": together}},
    }
