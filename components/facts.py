"""What every component may know about the cluster beyond its own section.

Types only. The facts are derived once, in `stacks/fabric.py`; a component that needs one more asks for it here
instead of working it out again, so that operators, jobs and nodes cannot disagree.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network
from typing import Generic, TypeVar

from components.mounts import NodeCache, Volume
from components.node_pool import JsonObject, NodePool
from components.queueing import Amounts, Scheduler, TeamFacts
from components.scraping import Monitoring
from components.section import Section

S_co = TypeVar("S_co", bound=Section, covariant=True)


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


@dataclass(frozen=True)
class Ownership:
    """Who brings what on a GPU node: exactly one owner each (platform × node image × driver owner)."""

    driver: bool
    """The GPU Operator installs the kernel driver."""
    toolkit: bool
    """The GPU Operator configures containerd."""
    device_plugin: bool = True
    """The GPU Operator advertises `nvidia.com/gpu`."""
    runtime_class: str = "nvidia"
    toolkit_env: Mapping[str, str] = field(default_factory=dict[str, str])
    install_dir: str | None = None
    """Where the node image keeps the driver, if not the default."""


@dataclass(frozen=True)
class ChartSource:
    """Where charts come from: their public repository, or the mirror of an air-gapped site."""

    mirror: str | None = None
    """A directory, or an `oci://` prefix."""


@dataclass(frozen=True)
class Facts:
    """The cluster, derived."""

    cluster: str
    platform: str
    node_os: str
    kubernetes_version: str
    context: str
    gpu_direct: str
    host_ofed: bool
    ownership: Ownership
    pools: tuple[NodePool, ...]
    fabric: Fabric
    namespaces: tuple[str, ...] = ()
    """Namespaces that run workloads, and so have the fabric's networks."""
    volumes: Mapping[str, Volume] = field(default_factory=dict[str, Volume])
    """Shared storage by name."""
    cache: NodeCache | None = None
    """Local disks of the nodes, where the site has them."""
    charts: ChartSource = field(default_factory=ChartSource)
    monitoring: Monitoring | None = None
    """Absent: nobody scrapes, so no ServiceMonitor may be made."""
    autoscaler: str | None = None
    """keda or prometheus-adapter: whom servers ask to scale them."""
    has: frozenset[str] = frozenset()
    """Profile sections that are present, by their YAML key: the neighbours a component may count on."""
    cluster_networks: tuple[IPv4Network, ...] = ()
    """Networks of the cluster's own pods and Services, as far as the profile names them."""
    scheduler: Scheduler = field(default_factory=Scheduler)
    """Who admits jobs, and how far apart its nodes are."""
    training: frozenset[str] = frozenset()
    """Job controllers that are present, by their YAML key below `training`."""
    capacity: Mapping[str, Amounts] = field(default_factory=dict[str, Amounts])
    """What the nodes of each pool hand out, all together: pool to resources."""
    teams: tuple[TeamFacts, ...] = ()
    """Who uses the cluster, each with its queue and its part."""
    priority_classes: tuple[str, ...] = ()
    """PriorityClasses of ours, most urgent first."""

    @property
    def own_pools(self) -> tuple[NodePool, ...]:
        """Pools whose nodes this stack makes."""
        return tuple(pool for pool in self.pools if pool.capacity)

    @property
    def gpu_pools(self) -> tuple[NodePool, ...]:
        """Pools with GPUs."""
        return tuple(pool for pool in self.pools if pool.gpus)

    @property
    def fabric_pools(self) -> tuple[NodePool, ...]:
        """Pools whose nodes take part in the fabric."""
        return tuple(pool for pool in self.pools if pool.nics)

    @property
    def tolerations(self) -> list[JsonObject]:
        """Tolerations for every taint of every pool, once each, so that node agents run everywhere they must."""
        keys = {(taint["key"], taint["effect"]): None for pool in self.pools for taint in pool.taints}
        return [{"key": key, "operator": "Exists", "effect": effect} for key, effect in keys]

    def team(self, name: str) -> TeamFacts:
        """The team of that name; KeyError if there is none."""
        return {team.name: team for team in self.teams}[name]

    def pool(self, name: str) -> NodePool:
        """The pool of that name; KeyError if there is none."""
        return {pool.name: pool for pool in self.pools}[name]


@dataclass(frozen=True)
class Args(Generic[S_co]):
    """What a component is given: its section of the profile, and the facts derived from all of it."""

    section: S_co
    facts: Facts
