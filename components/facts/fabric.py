"""Facts about the fabric: how pods reach each other's GPUs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network

from bedplate.components.facts.pools import NodePool
from bedplate.components.quantity import mib

GKE_NETWORK = "networking.gke.io.networks/"
"""Before the name of a network, what GKE's nodes call its device, whether pods ask for it (gIB) or not (TCPXO)."""
PAGE_MIB = 2
SPARE_PAGES = 8


@dataclass(frozen=True)
class Addresses:
    """The addresses of one rail: of all its nodes together, or of each node by itself where rails are routed."""

    subnet: IPv4Network
    node_prefix: int | None = None
    """Length of each node's own subnet; None: the nodes of the rail share one."""
    gateway: int | None = None
    """Which address of a subnet the switch has; None: nobody."""
    exclude: tuple[IPv4Network, ...] = ()
    """Addresses that others have."""
    routes: tuple[IPv4Network, ...] = ()
    """What pods reach by the gateway."""
    hosts: tuple[str, ...] = ()
    """Nodes in the order of their subnets, where switches have theirs already."""

    @property
    def router(self) -> IPv4Address | None:
        """The gateway of a rail whose nodes share a subnet."""
        return None if self.gateway is None or self.node_prefix else self.subnet.network_address + self.gateway

    def free(self, address: IPv4Address) -> bool:
        """A pod may have it."""
        return address != self.router and not any(address in network for network in self.exclude)

    def of_host(self, index: int) -> IPv4Network:
        """The subnet of the node that stands there among the hosts."""
        prefix = self.node_prefix or self.subnet.prefixlen
        return IPv4Network((int(self.subnet.network_address) + index * 2 ** (32 - prefix), prefix))


@dataclass(frozen=True)
class Rail:
    """One of the parallel networks of a rail-optimised fabric: NIC i of every node."""

    index: int
    resource: str
    """Extended resource that a pod asks for to get this rail's device; all rails share one with `exposure: shared`."""
    addresses: Addresses | None
    """None where pods take no address on it."""

    @property
    def name(self) -> str:
        """Name of the rail and of its IP pool."""
        return f"rail-{self.index}"

    @property
    def subnet(self) -> IPv4Network | None:
        """All its addresses."""
        return self.addresses.subnet if self.addresses else None

    def network(self, namespace: str, wiring: str = "") -> str:
        """Name of the NetworkAttachmentDefinition in a namespace; unique in the cluster, as the operator's CRs need."""
        return "-".join(part for part in (namespace, self.name, wiring) if part)


@dataclass(frozen=True)
class Fabric:
    """How pods reach each other's GPUs: written once, used by operators, jobs, queues, policies and tests."""

    kind: str
    """infiniband, roce, efa, tcpxo, gib or none."""
    exposure: str = "none"
    """shared, exclusive, sriov, host-device; `plugin` where the cloud's device plugin hands out devices; none."""
    rails: tuple[Rail, ...] = ()
    devices: tuple[str, ...] = ()
    """Extended resources by which pods ask for its devices; how many there are is the pool's to say."""
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
    ready_vfs: bool = False
    """The node image has made them and set the ports up: the SR-IOV operator only hands them out."""

    @property
    def attaches_networks(self) -> bool:
        """Pods name secondary networks of ours in their annotation."""
        return bool(self.rails) and self.exposure != "exclusive"

    @property
    def pages_for_pods(self) -> int:
        """MiB of huge pages that a node sets aside for pods: two that ask for `hugepages`."""
        return 2 * int(mib(self.hugepages)) if self.hugepages else 0

    @property
    def node_pages(self) -> int:
        """2 MiB pages that a node sets aside, a few to spare.

        With 5120Mi a pod it is what EKS's own accelerated image has (awslabs/amazon-eks-ami).
        """
        return self.pages_for_pods // PAGE_MIB + SPARE_PAGES if self.hugepages else 0

    def pages_of(self, part: float) -> int:
        """MiB of huge pages for a pod with that part of a node's GPUs: its part of what there is, and no pod more.

        5120Mi are for a process on each GPU of a whole node (EKS User Guide, "Run machine learning training with
        EFA"); eight pods of one GPU that asked for as much would not fit the node.
        """
        most = int(mib(self.hugepages or "0"))
        return min(most, int(self.pages_for_pods * part) // PAGE_MIB * PAGE_MIB)

    def resources(self, pool: NodePool, gpus: int) -> dict[str, int]:
        """Device resources for a pod that takes `gpus` of a node's GPUs.

        Shared devices come whole with a count of one, and of virtual functions every pod has one on each rail: which
        GPUs of the node a pod gets nobody can say beforehand, nor which rails are theirs.
        """
        if self.on_every_rail(pool):
            return dict(pool.devices)
        if len(pool.devices) > 1:
            share = len(pool.devices) * gpus // pool.gpus
            return dict(list(pool.devices.items())[:share])
        return {name: share for name, count in pool.devices.items() if (share := count * gpus // pool.gpus)}

    def wiring(self, pool: NodePool) -> str:
        """What the names of its networks end in: only networks of shared devices name the device of the node."""
        return pool.wiring if self.exposure == "shared" else ""

    def on_every_rail(self, pool: NodePool) -> bool:
        """A pod with a part of a node is on all of its rails: each has a device for it, shared or its own."""
        return self.exposure == "shared" or (self.exposure == "sriov" and len(pool.devices) > 1)

    def networks(self, namespace: str, pool: NodePool, gpus: int) -> str:
        """Value of `k8s.v1.cni.cncf.io/networks` for such a pod; empty where pods attach no network."""
        if not self.attaches_networks:
            return ""
        rails = len(pool.interfaces)
        share = rails if self.on_every_rail(pool) else max(1, rails * gpus // pool.gpus)
        names = [rail.network(namespace, self.wiring(pool)) for rail in self.rails[:share]]
        return ",".join(f"{namespace}/{name}@net{i + 1}" for i, name in enumerate(names))
