"""Facts about who may run what, and where: scheduler, topology, and each team's part of the cluster."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil

from bedplate.components.quantity import amount, mib

HOSTNAME = "kubernetes.io/hostname"
"""The last level of every topology: one node."""

NETWORK = "network"
"""Name of the topology: not the cluster's, because what refers to it can never be changed (Kueue's flavors)."""
KUEUE_MANAGED = {"kueue-managed": "true"}
"""Label of the namespaces whose jobs Kueue holds back; its webhooks see no other."""

Amounts = Mapping[str, int]
"""Resource name to amount; memory and huge pages in MiB, everything else in units."""


SIZED = ("memory", "hugepages-")
"""Beginnings of the names whose amounts are sizes."""


def quantities(amounts: Amounts) -> dict[str, str]:
    """`amounts` as Kubernetes writes them."""
    return {name: f"{units}Mi" if name.startswith(SIZED) else str(units) for name, units in amounts.items()}


def amounts(quantities: Mapping[str, str], pods: int = 1) -> dict[str, int]:
    """The reverse, of whatever so many pods ask for; a part of a unit counts whole."""
    exact = {name: mib(text) if name.startswith(SIZED) else amount(text) for name, text in quantities.items()}
    return {name: ceil(each * pods) for name, each in exact.items()}


@dataclass(frozen=True)
class Topology:
    """How far apart nodes are, as the labels that the platform or the site puts on them."""

    name: str
    """The Topology object of Kueue and KAI."""
    levels: tuple[str, ...]
    """Node labels, the widest domain first, `kubernetes.io/hostname` last."""
    required: str | None = None
    """The level within which every multi-node job must fit, else it waits."""
    preferred: str | None = None
    """The level within which a multi-node job is kept if it fits; None where no level above the node is known."""

    def tier(self, level: str) -> int:
        """The level's number as Volcano counts HyperNodes: 1 is the domain just above the node."""
        return len(self.levels) - 1 - self.levels.index(level)


@dataclass(frozen=True)
class Scheduler:
    """The one that admits jobs."""

    kind: str = "none"
    """kueue, volcano, kai or none."""
    topology: Topology | None = None
    """None without a scheduler that reads it; a single level, the node, where no label tells more."""

    @property
    def name(self) -> str | None:
        """`schedulerName` of a job's pods; None: the cluster's own scheduler, which places what Kueue admits."""
        return {"volcano": "volcano", "kai": "kai-scheduler"}.get(self.kind)

    @property
    def gangs(self) -> bool:
        """Some scheduler starts all pods of a job or none."""
        return self.kind != "none"


@dataclass(frozen=True)
class TeamFacts:
    """One team: its namespace, its queue and its part of the cluster."""

    name: str
    """Also the namespace."""
    rdma: bool
    """Its pods use the fabric."""
    queue: str | None
    """What a job names: the LocalQueue in the namespace (Kueue), the Queue (Volcano, KAI); None without a scheduler."""
    priority_class: str
    """PriorityClass of the team's jobs unless they name another."""
    borrows: bool = True
    """It may use what other teams leave idle."""
    share: int = 1
    gpus: Mapping[str, int] = field(default_factory=dict[str, int])
    """GPUs that it is entitled to, by pool."""
    nominal: Mapping[str, Amounts] = field(default_factory=dict[str, Amounts])
    """The same as everything that comes with them: pool to resources; a pool of which it has no part is left out."""

    served: Mapping[str, int] = field(default_factory=dict[str, int])
    """GPUs that its model servers hold at their highest load, by pool; they wait in its queue like its jobs."""

    @property
    def total(self) -> dict[str, int]:
        """What it is entitled to over all pools."""
        return added(self.nominal.values())


def added(parts: Iterable[Amounts]) -> dict[str, int]:
    """The sum of amounts, resource by resource."""
    total: dict[str, int] = {}
    for name, units in (item for part in parts for item in part.items()):
        total[name] = total.get(name, 0) + units
    return total
