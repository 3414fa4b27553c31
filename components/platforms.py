"""The platforms a cluster can run on: one row each, for profile, components, rules and lab alike.

Plain data of the standard library alone, because the policies read it too, and start without the rest. Who brings the
driver on which node image is a table of its own (`stacks/hardware/platforms.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

PlatformName = Literal["kubeadm", "rke2", "k3s", "talos", "openshift", "eks", "gke", "aks", "oke"]
CloudPlatform = Literal["eks", "gke", "aks", "oke"]
FabricKind = Literal["infiniband", "roce", "efa", "tcpxo", "gib", "none"]


@dataclass(frozen=True)
class Cni:
    """Directories on a node."""

    binaries: str = "/opt/cni/bin"
    networks: str = "/etc/cni/net.d"


@dataclass(frozen=True)
class Identity:
    """A link-local address at which a pod gets the rights of its own service account in the cloud."""

    address: str
    ports: tuple[int, ...]
    named: bool = False
    """Open only where a team's `egress` names it: on a cluster that is set up otherwise the node's rights are there."""


@dataclass(frozen=True)
class Platform:
    """What is true of a platform wherever it runs."""

    fabrics: frozenset[FabricKind]
    """Fabrics that its nodes can form."""
    cloud: str | None = None
    """`cloud.kind` of the profile; None: it runs on the site's own machines."""
    pool_label: str | None = None
    """Label by which the cloud marks the nodes of a pool."""
    network_labels: tuple[str, ...] = ()
    """Labels that the cloud puts on nodes for the part of the network that they are in, the widest first."""
    host_label: str | None = None
    """Label of the machine below them, so that no two nodes of a job share one."""
    multus: bool = False
    """It runs Multus itself."""
    karpenter: bool = False
    """Karpenter may replace its nodes: EKS Auto Mode, AKS node auto-provisioning."""
    gpu_plugin: bool = False
    """It advertises the GPUs itself, unless its nodes are told not to."""
    own_operators: bool = False
    """Its catalogue brings NFD and NVIDIA's operators, its network operator Multus and Whereabouts: charts never do."""
    runtime_class: str | None = None
    """Of pods that get their GPUs by NVIDIA's runtime and not by CDI, where it stands beside the default one.

    (rancher/rke2-docs add-ons/gpu_operators.md, v25.3.x and v25.10.x; siderolabs/extensions nvidia-container-toolkit.)
    """
    cni: Cni = Cni()
    """Where container networking lives on its nodes."""
    dns: tuple[str, int] = ("kube-system", 53)
    """Namespace and port of the pods behind the cluster's name service: NetworkPolicies see the pod's own port."""
    identity: tuple[Identity, ...] = ()
    """Where pods get rights of their own in the cloud, if not by a public address."""

    @property
    def levels(self) -> tuple[str, ...]:
        """Every label of its topology, the widest first."""
        return (*self.network_labels, *([self.host_label] if self.host_label else []))


_SITE: frozenset[FabricKind] = frozenset({"infiniband", "roce", "none"})
"""No topology labels of its own: the site says which it has, such as those of NVIDIA/topograph."""


PLATFORMS: Mapping[str, Platform] = {
    "kubeadm": Platform(_SITE),
    "rke2": Platform(_SITE, runtime_class="nvidia"),
    # docs.k3s.io networking/multus-ipams: fixed since the releases of October 2024.
    "k3s": Platform(
        _SITE,
        runtime_class="nvidia",
        cni=Cni("/var/lib/rancher/k3s/data/cni", "/var/lib/rancher/k3s/agent/etc/cni/net.d"),
    ),
    "talos": Platform(_SITE, runtime_class="nvidia"),
    # Its name service's pods listen on 5353 (openshift/cluster-dns-operator, assets/dns/daemonset.yaml).
    "openshift": Platform(_SITE, multus=True, own_operators=True, dns=("openshift-dns", 5353)),
    # EKS documentation, "View topology of nodes".
    "eks": Platform(
        frozenset({"efa", "none"}),
        cloud="aws",
        pool_label="eks.amazonaws.com/nodegroup",
        network_labels=tuple(f"topology.k8s.aws/network-node-layer-{layer}" for layer in (1, 2, 3)),
        karpenter=True,
        # EKS documentation, "Learn how EKS Pod Identity works": the agent gives a pod its own role and no other.
        identity=(Identity("169.254.170.23/32", (80,)), Identity("fd00:ec2::23/128", (80,))),
    ),
    # GKE documentation, "Schedule GPU workloads with topology-aware scheduling".
    "gke": Platform(
        frozenset({"tcpxo", "gib", "none"}),
        cloud="gcp",
        pool_label="cloud.google.com/gke-nodepool",
        network_labels=tuple(f"cloud.google.com/gce-topology-{level}" for level in ("block", "subblock")),
        host_label="cloud.google.com/gce-topology-host",
        gpu_plugin=True,
        # GKE documentation, "Authenticate to Google Cloud APIs from GKE workloads", network policies: with Calico the
        # first, with Dataplane V2 the second, where without Workload Identity Compute Engine's own server answers.
        identity=(
            Identity("169.254.169.252/32", (987, 988)),
            Identity("169.254.169.254/32", (80, 8080), named=True),
        ),
    ),
    "aks": Platform(
        frozenset({"infiniband", "none"}),
        cloud="azure",
        pool_label="kubernetes.azure.com/agentpool",
        karpenter=True,
    ),
    # oracle-quickstart/oci-hpc-oke.
    "oke": Platform(
        frozenset({"roce", "none"}),
        cloud="oci",
        pool_label="oke.oraclecloud.com/pool.name",
        network_labels=tuple(
            f"oci.oraclecloud.com/rdma.{level}" for level in ("hpc_island_id", "network_block_id", "local_block_id")
        ),
        host_label="oci.oraclecloud.com/rdma.host_id",
    ),
}
CLOUDS = frozenset(name for name, row in PLATFORMS.items() if row.cloud)
"""Where somebody else runs the control plane and replaces machines."""
HOST_LABELS = frozenset(row.host_label for row in PLATFORMS.values() if row.host_label)
"""A site's own cluster on a cloud's machines may name them too."""
