"""What follows from pools, scheduler and teams: topology, queues, and each team's part of every pool."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from bedplate.components.facts import Amounts, Fabric, NodePool, Scheduler, TeamFacts, Topology, Volume
from bedplate.components.facts.queues import HOSTNAME, NETWORK
from bedplate.components.platforms import HOST_LABELS, PLATFORMS
from bedplate.components.serving.shape import deadline
from bedplate.components.tenancy.teams import Team
from bedplate.stacks.profile.profile import Profile

CLIQUE = "nvidia.com/gpu.clique"
"""Label of the nodes that NVLink joins, by GPU Feature Discovery (NVIDIA/k8s-device-plugin README)."""
LOCAL_QUEUE = "default"
"""In every team's namespace: the name that Kueue gives jobs that name no queue (LocalQueueDefaulting)."""


def scheduler(profile: Profile) -> Scheduler:
    """The one scheduler and what it knows of the network."""
    section = profile.scheduling
    return Scheduler(section.kind, topology(profile)) if section else Scheduler()


def topology(profile: Profile) -> Topology:
    """Levels that the site or the cloud labels, and the node as the last."""
    assert profile.scheduling is not None  # noqa: S101 - asked for with a scheduler only
    section = profile.scheduling.topology
    labelled = PLATFORMS[profile.platform].levels if section.levels is None else section.levels
    if racks_only(profile):
        labelled = with_racks(labelled)
    levels = (*(level for level in labelled if level != HOSTNAME), HOSTNAME)
    wide = [level for level in levels[:-1] if level not in HOST_LABELS]
    preferred = section.preferred or (wide[-1] if wide and not section.required else None)
    return Topology(NETWORK, levels, section.required, preferred)


def with_racks(levels: Sequence[str]) -> tuple[str, ...]:
    """A rack is wider than a machine: below a label of the machine it would hold one node, and no job would fit it."""
    machine = [level for level in levels if level in (*HOST_LABELS, HOSTNAME)]
    return (*(level for level in levels if level not in (CLIQUE, *machine)), CLIQUE, *machine)


def racks_only(profile: Profile) -> bool:
    """All GPUs are in racks whose NVLink joins nodes: then their label is a level of the topology too."""
    shapes = [pool.hardware for pool in profile.pools if pool.hardware and pool.hardware.gpus]
    return bool(shapes) and all(shape.nvlink_domain > shape.gpus for shape in shapes)


def teams(profile: Profile, pools: Sequence[NodePool], capacity: Mapping[str, Amounts]) -> tuple[TeamFacts, ...]:
    """Every team with its queue and its part of each pool."""
    members = profile.teams
    parts: dict[str, dict[str, int]] = {team.name: {} for team in members}
    for pool in pools:
        for name, units in split(pool, members):
            parts[name][pool.name] = units
    whole = {pool.name: units_of(pool) for pool in pools}
    gpu_pools = {pool.name for pool in pools if pool.gpus}
    return tuple(
        TeamFacts(
            name=team.name,
            rdma=team.rdma,
            queue=queue(profile, team),
            priority_class=team.priority,
            borrows=team.borrow,
            share=team.share,
            gpus={pool: units for pool, units in parts[team.name].items() if pool in gpu_pools},
            nominal={pool: part(capacity[pool], units, whole[pool]) for pool, units in parts[team.name].items()},
            served={pool: served(profile, team, pool) for pool in parts[team.name] if pool in gpu_pools},
        )
        for team in members
    )


def served(profile: Profile, team: Team, pool: str) -> int:
    """GPUs that the team's servers take at their highest load."""
    return profile.serving.demand(pool, team.name) if profile.serving else 0


def queued_starts(profile: Profile, volumes: Mapping[str, Volume]) -> Iterator[tuple[int, int]]:
    """Servers that wait in a queue, by index, and the seconds from admission to the first answer."""
    if profile.serving and profile.scheduling and profile.scheduling.kind == "kueue":
        for index, server in enumerate(profile.serving.servers):
            yield index, deadline(server.start_seconds(volumes))


def queue(profile: Profile, team: Team) -> str | None:
    """What the team's jobs name: one name for all with Kueue, whose LocalQueues have namespaces."""
    if profile.scheduling is None:
        return None
    return LOCAL_QUEUE if profile.scheduling.kind == "kueue" else team.name


def units_of(pool: NodePool) -> int:
    """What the pool is divided by: its GPUs, or its CPUs where it has none."""
    return pool.total_gpus or pool.most * pool.cpus


def split(pool: NodePool, members: Sequence[Team]) -> Iterator[tuple[str, int]]:
    """Units of the pool by team, where it has any: as asked, and the rest by share.

    In whole nodes if they go round, so that each has one; else nobody would have a part of a small pool whose share is
    less than a node of it.
    """
    yield from ((team.name, fixed) for team in members if (fixed := team.gpus.get(pool.name)))
    others = [team for team in members if pool.name not in team.gpus]
    rest = units_of(pool) - sum(team.gpus.get(pool.name, 0) for team in members)
    step = max(1, pool.gpus if pool.nodes >= len(members) else 1)
    nodes = list(_parts(others, rest, step))
    yield from nodes if len(nodes) == len(others) else _parts(others, rest, 1)


def _parts(members: Sequence[Team], units: int, step: int) -> Iterator[tuple[str, int]]:
    """By share, in steps: where one part ends the next begins, so that nothing is left over; of those who get any."""
    total, start = sum(team.share for team in members), 0
    for team, share in zip(members, accumulate(team.share for team in members), strict=True):
        end = units if share == total else units * share // total // step * step
        if end > start:
            yield team.name, end - start
            start = end


def part(whole: Amounts, units: int, of: int) -> Amounts:
    """The same part of each resource."""
    return {name: amount * units // of for name, amount in whole.items()}


def pool_capacity(fabric: Fabric, pool: NodePool) -> Amounts:
    """What its nodes hand out when all are there, with the huge pages of the fabric if they are in it."""
    node = {"memory": pool.allocatable.memory} | pool.extended_resources
    if fabric.hugepages and pool.nics:
        node["hugepages-2Mi"] = fabric.pages_for_pods
    cpus = pool.allocatable.millicores * pool.most // 1000
    return {"cpu": cpus} | {name: amount * pool.most for name, amount in node.items()}
