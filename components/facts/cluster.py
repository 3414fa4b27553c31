"""The cluster, derived, and what a component is given of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network
from typing import Generic, TypeVar

from bedplate.catalog.placement import placed
from bedplate.components.facts.fabric import Fabric
from bedplate.components.facts.pools import JsonObject, NodePool
from bedplate.components.facts.queues import Amounts, Scheduler, TeamFacts, Topology
from bedplate.components.facts.site import Existing, Health, Monitoring, NodeCache, Volume
from bedplate.components.platforms import PLATFORMS
from bedplate.components.section import Section
from bedplate.components.waiver import Waiver

S_co = TypeVar("S_co", bound=Section, covariant=True)


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
    device_plugin_env: Mapping[str, str] = field(default_factory=dict[str, str])
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
    retired: frozenset[str] = frozenset()
    """Namespaces of teams that may be deleted; those of all others, and what they keep, are protected."""
    longest_grace: int | None = None
    """Seconds that a team's pod may take to end; absent: nobody minds."""
    volumes: Mapping[str, Volume] = field(default_factory=dict[str, Volume])
    """Shared storage by name."""
    classes: Mapping[str, bool] = field(default_factory=dict[str, bool])
    """StorageClasses that the profile names, and whether many nodes mount a volume of theirs."""
    cdi: bool = False
    """The GPU Operator's plugin hands out GPUs by CDI: no container needs NVIDIA_VISIBLE_DEVICES for its own."""
    cache: NodeCache | None = None
    """Local disks of the nodes, where the site has them."""
    charts: ChartSource = field(default_factory=ChartSource)
    digests: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of images, by whole reference; those that are not here go by what names them."""
    monitoring: Monitoring | None = None
    """Absent: nobody scrapes, so no ServiceMonitor may be made."""
    health: Health | None = None
    """Absent: nobody says on a node what is wrong with it."""
    autoscaler: str | None = None
    """keda or prometheus-adapter: whom servers ask to scale them."""
    has: frozenset[str] = frozenset()
    """Profile sections that are present, by their YAML key: the neighbours a component may count on."""
    site_runs: frozenset[str] = frozenset()
    """What the site runs itself, by its key below `existing`: never installed again."""
    cluster_networks: tuple[IPv4Network | IPv6Network, ...] = ()
    """Networks of the cluster's own pods, Services and nodes, as far as the profile names them."""
    pod_networks: tuple[IPv4Network | IPv6Network, ...] = ()
    """Those of them in which pods alone have addresses."""
    name_servers: tuple[str, ...] = ()
    """Networks in which pods ask for names, besides the pods of the name service."""
    cluster_domain: str = "cluster.local"
    """Under which Services have their names."""
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
    turns: int = 0
    """How often nodes are drained, some at a time, before each has its virtual functions."""
    slowest_start: int = 0
    """Seconds from admission to the first answer that the slowest model server in a queue may take; 0: none waits."""
    foundation: str = ""
    """A digest of operators, driver and fabric: what was proven on another one is proven again."""

    existing: tuple[Existing, ...] = ()
    """What the cluster has already, and others look after."""
    waivers: tuple[Waiver, ...] = ()
    """What the owners allow in spite of a rule."""

    @property
    def cache_folder(self) -> str | None:
        """Of the nodes, which the teams' pods may mount; None where the cache is no folder of theirs."""
        return self.cache.host_path if self.cache else None

    @property
    def runtime_class(self) -> str | None:
        """What pods with GPUs name, where these come neither by CDI nor by the nodes' default runtime."""
        return None if self.cdi else PLATFORMS[self.platform].runtime_class

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
    def wirings(self) -> tuple[NodePool, ...]:
        """A pool of the fabric for each set of devices that its pools' rails are."""
        return tuple({pool.wiring: pool for pool in reversed(self.fabric_pools)}.values())[::-1]

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

    def network_of(self, pool: NodePool) -> Topology | None:
        """Levels that the pool's nodes have labels of; None: the node alone tells where its pods are.

        Kueue counts no node that lacks a level of its flavor's topology, so that no job would ever start there.
        """
        network = self.scheduler.topology
        if network is None or not pool.gpus:
            return None
        clouds = set(PLATFORMS[self.platform].network_labels) & set(network.levels)
        return None if clouds and not placed(pool.instance_type or pool.shape) else network


@dataclass(frozen=True)
class Args(Generic[S_co]):
    """What a component is given: its section of the profile, and the facts derived from all of it."""

    section: S_co
    facts: Facts
