"""Facts about the fabric: how pods reach each other's GPUs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network


@dataclass(frozen=True)
class Rail:
    """One of the parallel networks of a rail-optimised fabric: NIC i of every node."""

    index: int
    interface: str
    """Network device on the node, such as `ens1f0np0`."""
    resource: str
    """Extended resource that a pod asks for to get this rail's device; all rails share one with `exposure: shared`."""
    subnet: IPv4Network | None
    """Addresses of this rail, or None where pods take no address on it."""

    @property
    def name(self) -> str:
        """Name of the rail and of its IP pool."""
        return f"rail-{self.index}"

    def network(self, namespace: str) -> str:
        """Name of the NetworkAttachmentDefinition in a namespace; unique in the cluster, as the operator's CRs need."""
        return f"{namespace}-{self.name}"


@dataclass(frozen=True)
class Fabric:
    """How pods reach each other's GPUs: written once, used by operators, jobs, queues, policies and tests."""

    kind: str
    """infiniband, roce, efa, tcpxo, gib or none."""
    exposure: str = "none"
    """shared, exclusive, sriov, host-device; `plugin` where the cloud's device plugin hands out devices; none."""
    rails: tuple[Rail, ...] = ()
    devices: Mapping[str, int] = field(default_factory=dict[str, int])
    """Extended resources that a pod with every GPU of a node asks for: name to count."""
    hugepages: str | None = None
    """`hugepages-2Mi` that such a pod asks for besides, where the fabric needs it (EFA)."""
    annotations: Mapping[str, str] = field(default_factory=dict[str, str])
    """Pod annotations that the cloud wants (GKE multi-networking), independent of the namespace."""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    """NCCL and related environment: what the fabric needs and nothing else."""
    node_networks: tuple[str, ...] = ()
    """Networks that the cloud attaches to the nodes, one per GPU interface, by the name of their Network object."""
    env_file: str | None = None
    """Script that the node image ships and a container must source first (GKE: TCPXO, gIB)."""
    mtu: int | None = None
    ipam: str | None = None
    block_size: int = 1
    """Addresses per node and rail (nv-ipam's perNodeBlockSize)."""
    num_vfs: int = 0
    """Virtual functions per port with `exposure: sriov`."""
    nic_gbps: int = 0
    busbw_floor_gbs: int = 0
    """All-reduce bus bandwidth over two nodes that a healthy fabric reaches, in GB/s; 0: unknown."""

    @property
    def attaches_networks(self) -> bool:
        """Pods name secondary networks of ours in their annotation."""
        return bool(self.rails) and self.exposure != "exclusive"

    def resources(self, gpus: int, gpus_per_node: int) -> dict[str, int]:
        """Device resources for a pod that takes `gpus` of a node's GPUs.

        Shared devices come whole with a count of one. Of several per-rail resources the pod takes its share, in rail
        order.
        """
        if self.exposure == "shared":
            return dict(self.devices)
        if len(self.devices) > 1:
            share = len(self.devices) * gpus // gpus_per_node
            return dict(list(self.devices.items())[:share])
        return {name: share for name, count in self.devices.items() if (share := count * gpus // gpus_per_node)}

    def networks(self, namespace: str, gpus: int, gpus_per_node: int) -> str:
        """Value of `k8s.v1.cni.cncf.io/networks` for such a pod; empty where pods attach no network."""
        if not self.attaches_networks:
            return ""
        share = max(1, len(self.rails) * gpus // gpus_per_node)
        names = [rail.network(namespace) for rail in self.rails[:share]]
        return ",".join(f"{namespace}/{name}@net{i + 1}" for i, name in enumerate(names))
