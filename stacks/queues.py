"""What follows from pools, scheduler and teams: topology, queues, and each team's part of every pool."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from components.facts import Facts, NodePool
from components.queueing import HOSTNAME, Amounts, Scheduler, TeamFacts, Topology
from components.tenancy.priorities import PRIORITY_CLASSES
from components.tenancy.teams import Team
from stacks.profile import Profile

CLOUD_LEVELS = {
    "eks": tuple(f"topology.k8s.aws/network-node-layer-{layer}" for layer in (1, 2, 3)),
    "gke": tuple(f"cloud.google.com/gce-topology-{level}" for level in ("block", "subblock", "host")),
    "oke": tuple(
        f"oci.oraclecloud.com/rdma.{level}"
        for level in ("hpc_island_id", "network_block_id", "local_block_id", "host_id")
    ),
}
"""Labels that the clouds put on their nodes, the widest first (EKS, GKE and OKE documentation). Elsewhere the site
says which labels it has, such as those of NVIDIA/topograph."""
HOST_LABELS = ("cloud.google.com/gce-topology-host", "oci.oraclecloud.com/rdma.host_id")
"""Narrowest labels of a cloud that hold one machine, so that no two nodes of a job share one."""
LOCAL_QUEUE = "default"
"""In every team's namespace: the name that Kueue gives jobs that name no queue (LocalQueueDefaulting)."""


def with_queues(known: Facts, profile: Profile) -> Facts:
    """`known` with what is derived here."""
    return replace(
        known,
        scheduler=scheduler(profile),
        teams=teams(known, profile),
        priority_classes=tuple(PRIORITY_CLASSES) if profile.tenancy else (),
    )


def scheduler(profile: Profile) -> Scheduler:
    """The one scheduler and what it knows of the network."""
    section = profile.scheduling
    return Scheduler(section.kind, topology(profile)) if section else Scheduler()


def topology(profile: Profile) -> Topology:
    """Levels that the site or the cloud labels, and the node as the last."""
    assert profile.scheduling is not None  # noqa: S101 - asked for with a scheduler only
    asked = profile.scheduling.topology
    labelled = CLOUD_LEVELS.get(profile.platform, ()) if asked.levels is None else asked.levels
    levels = (*(level for level in labelled if level != HOSTNAME), HOSTNAME)
    wide = [level for level in levels[:-1] if level not in HOST_LABELS]
    preferred = asked.preferred or (wide[-1] if wide and not asked.required else None)
    return Topology(profile.name, levels, asked.required, preferred)


def teams(known: Facts, profile: Profile) -> tuple[TeamFacts, ...]:
    """Every team with its queue and its part of each pool."""
    members = profile.tenancy.teams if profile.tenancy else ()
    parts = {pool.name: split(pool, members) for pool in known.pools}
    return tuple(
        TeamFacts(
            name=team.name,
            rdma=team.rdma,
            queue=queue(profile, team),
            priority_class=team.priority,
            borrows=team.borrow,
            share=team.share,
            nominal={pool.name: part(known, profile, pool, parts[pool.name][team.name]) for pool in known.pools},
        )
        for team in members
    )


def queue(profile: Profile, team: Team) -> str | None:
    """What the team's jobs name: one name for all with Kueue, whose LocalQueues have namespaces."""
    if profile.scheduling is None:
        return None
    return LOCAL_QUEUE if profile.scheduling.kind == "kueue" else team.name


def split(pool: NodePool, members: Sequence[Team]) -> Mapping[str, int]:
    """GPUs of the pool by team (CPUs where it has none): as asked, and the rest by share, none left over."""
    whole = pool.total_gpus or pool.nodes * pool.cpus
    fixed = {team.name: team.gpus[pool.name] for team in members if pool.name in team.gpus}
    others = [team for team in members if team.name not in fixed]
    step = pool.gpus if pool.nodes >= len(members) else 1
    rest = _by_share(whole - sum(fixed.values()), [team.share for team in others], max(1, step))
    return fixed | dict(zip((team.name for team in others), rest, strict=True))


def _by_share(whole: int, shares: Sequence[int], step: int) -> list[int]:
    """Parts of `whole` in steps, whole nodes if they go round; where one ends the next begins, and nothing is left."""
    ends = [whole * sum(shares[: i + 1]) // sum(shares) // step * step for i in range(len(shares) - 1)]
    return [end - start for start, end in zip([0, *ends], [*ends, whole], strict=True)] if shares else []


def part(known: Facts, profile: Profile, pool: NodePool, units: int) -> Amounts:
    """Everything that `units` of the pool's GPUs (or CPUs) stand for: their part of each resource of its nodes."""
    whole = pool.total_gpus or pool.nodes * pool.cpus
    node = node_capacity(known, profile, pool)
    return {name: amount * pool.nodes * units // whole if whole else 0 for name, amount in node.items()}


def node_capacity(known: Facts, profile: Profile, pool: NodePool) -> dict[str, int]:
    """What one node of the pool hands out, with the devices of the fabric if it is in it."""
    base = {"cpu": pool.cpus, "memory": pool.memory_gib * 1024} | gpu_resources(pool)
    return base | (fabric_resources(known, profile, pool) if pool.nics else {})


def gpu_resources(pool: NodePool) -> dict[str, int]:
    """GPUs of a node, as its device plugin counts them."""
    if pool.mig:
        return {f"nvidia.com/mig-{name}": pool.gpus * count for name, count in pool.mig.items()}
    return {pool.resource: pool.gpus * pool.time_slices} if pool.gpus else {}


def fabric_resources(known: Facts, profile: Profile, pool: NodePool) -> dict[str, int]:
    """Devices of the fabric on a node: shared ones once for each pod that may use them, virtual functions by port."""
    fabric, times = known.fabric, known.fabric.num_vfs or 1
    if fabric.exposure == "shared":
        times = profile.network_operator.shared_pods_per_node if profile.network_operator else pool.gpus
    devices = {name: (pool.nics if fabric.kind == "efa" else count) * times for name, count in fabric.devices.items()}
    if fabric.hugepages:
        # Each pod of one GPU asks for as much as a pod of eight (EKS EFA guide), so quota must allow for all of them.
        return devices | {"hugepages-2Mi": int(fabric.hugepages.removesuffix("Mi")) * pool.gpus}
    return devices
