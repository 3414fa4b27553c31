"""The order of a verification: what needs no pod, then each node alone, then pairs, then all, then what is around.

Who fails takes no further part, so that a bad node is named once and does not make others look bad.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from bedplate.cluster.objects import labels
from bedplate.cluster.objects import name as name_of
from bedplate.components.facts import Facts, NodePool
from bedplate.components.facts.queues import HOSTNAME
from bedplate.components.section import Network
from bedplate.components.serving.section import AnyServer
from bedplate.components.verification.judge import node_faults
from bedplate.components.verification.nccl import DIRECT
from bedplate.components.verification.pools import required_of
from bedplate.verify import gate, match_log, node_log, probe_jobs, probe_log, tournament
from bedplate.verify.cluster import Cluster
from bedplate.verify.jobs import Desk, Run, joined
from bedplate.verify.outcome import Case, judged, one_driver

Level = Literal["nodes", "quick", "full"]
TWO = 2
Node = Mapping[str, Any]


@dataclass(frozen=True)
class Task:
    """What is to be checked."""

    desk: Desk
    pools: tuple[NodePool, ...]
    level: Level
    nodes: frozenset[str] = frozenset()
    """By name; empty: all."""
    servers: tuple[AnyServer, ...] = ()
    driver: str | None = None
    """The version that the profile says."""
    egress: tuple[Network, ...] = ()
    """What the team may reach outside."""


@dataclass
class Sheet:
    """Cases as they come, and what nobody looks at."""

    cases: list[Case] = field(default_factory=list[Case])
    not_checked: list[str] = field(default_factory=list[str])

    def failed(self, subject: str) -> bool:
        """Something of it is not well."""
        return any(case.subject == subject and case.status != "passed" for case in self.cases)


def verify(task: Task, cluster: Cluster, nodes: Sequence[Node]) -> Sheet:
    """All of it."""
    sheet = Sheet()
    chosen = {pool.name: _of(pool, nodes, task.nodes) for pool in task.pools}
    for pool in task.pools:
        _objects(task, pool, chosen[pool.name], sheet)
    if task.level == "nodes":
        sheet.not_checked.append("what a job on each node sees: --level quick")
        return sheet
    _alone(task, cluster, chosen, sheet)
    if task.level == "full":
        for pool in task.pools:
            sound = [node for node in chosen[pool.name] if not sheet.failed(name_of(node))]
            _together(task, cluster, pool, sound, sheet)
        _around(task, cluster, nodes, sheet)
    else:
        sheet.not_checked.append("the fabric between nodes, storage, servers, GPUs unasked and borders: --level full")
    return sheet


def states(task: Task, nodes: Sequence[Node]) -> list[Case]:
    """Of every node that has a gate before it: in the queues, or out and why."""
    gated = [node for pool in task.pools if pool.gate for node in _of(pool, nodes, task.nodes)]
    return [gate.state(node) for node in gated]


def _of(pool: NodePool, nodes: Sequence[Node], names: frozenset[str]) -> list[Node]:
    mine = [node for node in nodes if pool.selector.items() <= labels(node).items()]
    return [node for node in mine if not names or name_of(node) in names]


def _objects(task: Task, pool: NodePool, nodes: Sequence[Node], sheet: Sheet) -> None:
    """Labels, conditions and what device plugins advertise."""
    if pool.gate:
        sheet.cases += [gate.state(node) for node in nodes]
    desired = required_of(task.desk.facts, pool)
    sheet.cases += [
        judged("node", name_of(node), node_faults(desired, node), "Ready, with all it must have") for node in nodes
    ]
    if len(nodes) < pool.required and not task.nodes:
        text = f"{len(nodes)} nodes carry its labels, {pool.required} must be"
        sheet.cases.append(Case("pool", pool.name, "failed", text))


def _alone(task: Task, cluster: Cluster, chosen: Mapping[str, Sequence[Node]], sheet: Sheet) -> None:
    """A job on each node that has all of its GPUs."""
    runs: dict[str, tuple[NodePool, Node, Run]] = {}
    for pool in task.pools:
        if pool.sliced:
            sheet.not_checked.append(f"GPUs of pool {pool.name}: they are cut into slices, and no pod sees a whole one")
            continue
        if not joined(pool):
            sheet.not_checked.append(f"NVLink of pool {pool.name}: it has none between its GPUs")
        sheet.not_checked += unseen_links(task.desk.facts, pool)
        for node in (candidate for candidate in chosen[pool.name] if not sheet.failed(name_of(candidate))):
            run = task.desk.on_node(pool, _host(node))
            runs[run.name] = (pool, node, run)
    ended = cluster.play([run for *_, run in runs.values()])
    for name, (pool, node, _) in runs.items():
        sheet.cases += alone(task, pool, name_of(node), ended[name].log, well=ended[name].well)
    sheet.cases += one_driver(sheet.cases)


def alone(task: Task, pool: NodePool, node: str, log: str, *, well: bool | None) -> Iterator[Case]:
    """What one node's job came to."""
    if well is None and not log:
        yield Case("GPUs", node, "unknown", "its job has not started: the node is in use, or the queue is full")
        return
    yield from node_log.cases(log, desired(task, pool), node)
    if joined(pool):
        match = match_log.read(log, ended_well=well)
        yield Case("NVLink", node, match.status, match.text)


def desired(task: Task, pool: NodePool) -> node_log.Desired:
    """The profile's promises; DMA-BUF is one that only the open kernel module keeps (NVIDIA, GPUDirect RDMA)."""
    facts = task.desk.facts
    seen = pool.nics and not list(unseen_links(facts, pool))
    links = {"links": pool.nics, "gbps": pool.nic_gbps} if seen else {}
    return node_log.Desired(pool.gpus, task.driver, facts.gpu_direct == "dmabuf", **links)


UNSEEN = {
    "exclusive": "a device is in the pod that has it alone, and a check of one node gets none",
    "sriov": "a pod sees the virtual functions that it was given and no port of the node's own",
    "host-device": "a device is in the pod that has it alone, and a check of one node gets none",
}
"""By exposure: why a pod on a node sees less than its ports (rdma-cni: RDMA devices follow network namespaces)."""


def unseen_links(facts: Facts, pool: NodePool) -> Iterator[str]:
    """RDMA links that no check of one node can read; between nodes NCCL's own log counts the devices all the same."""
    if not pool.nics:
        return
    if facts.fabric.kind not in DIRECT:
        yield f"RDMA links of pool {pool.name}: {facts.fabric.kind} has no ports that a pod can read"
    elif reason := UNSEEN.get(facts.fabric.exposure):
        yield f"RDMA links of pool {pool.name}: exposure {facts.fabric.exposure}: {reason}"


def _together(task: Task, cluster: Cluster, pool: NodePool, nodes: Sequence[Node], sheet: Sheet) -> None:
    """Pairs until the bad ones are named, then all that are sound."""
    if not pool.nics:
        sheet.not_checked.append(f"the fabric of pool {pool.name}: it has none")
        return
    if len(nodes) < TWO:
        sheet.not_checked.append(f"the fabric of pool {pool.name}: fewer than two nodes are sound")
        return
    if problems := task.desk.refused(pool, TWO):
        sheet.not_checked += [f"the fabric of pool {pool.name}: {problem}" for problem in problems]
        return
    hosts = {name_of(node): _host(node) for node in nodes}
    sound = _tournament(task, cluster, pool, hosts, sheet)
    if len(sound) <= TWO:
        return
    if problems := task.desk.refused(pool, len(sound)):
        sheet.not_checked += [f"all nodes of pool {pool.name} at once: {problem}" for problem in problems]
        return
    run = task.desk.between(pool, [hosts[name] for name in sound])
    ended = cluster.play([run])[run.name]
    match = match_log.read(ended.log, ended_well=ended.well)
    sheet.cases.append(Case("fabric, all nodes", pool.name, match.status, match.text))


def _tournament(task: Task, cluster: Cluster, pool: NodePool, hosts: Mapping[str, str], sheet: Sheet) -> Sequence[str]:
    matches: dict[tournament.Pair, match_log.Match] = {}

    def play(pairs: Sequence[tournament.Pair]) -> tournament.Played:
        runs = {pair: task.desk.between(pool, [hosts[name] for name in sorted(pair)]) for pair in pairs}
        cluster.say(f"pool {pool.name}: {len(pairs)} pairs of nodes")
        ended = cluster.play(list(runs.values()))
        for pair, run in runs.items():
            matches[pair] = match_log.read(ended[run.name].log, ended_well=ended[run.name].well)
        return {pair: {"passed": True, "failed": False, "unknown": None}[matches[pair].status] for pair in pairs}

    verdict, _, _ = tournament.run(sorted(hosts), play)
    sheet.cases += list(fabric_cases(verdict, matches))
    return verdict.sound


def fabric_cases(verdict: tournament.Verdict, matches: Mapping[tournament.Pair, match_log.Match]) -> Iterator[Case]:
    """Each node by name, and each link between two sound ones that is not well."""
    for name in verdict.sound:
        best = max(
            (match for pair, match in matches.items() if name in pair and match.gbs),
            key=lambda matched: matched.gbs or 0,
        )
        yield Case("fabric", name, "passed", best.text)
    for name in verdict.bad:
        lost = [match.text for pair, match in matches.items() if name in pair and match.status == "failed"]
        yield Case("fabric", name, "failed", f"with {len(lost)} other nodes: {lost[-1]}")
    for pair in verdict.links:
        yield Case("link", " – ".join(pair), "failed", matches[frozenset(pair)].text)
    failed = [match.text for match in matches.values() if match.status == "failed"]
    if failed and not verdict.sound:
        yield Case("fabric", "all pairs of nodes", "failed", f"no two nodes pass: {failed[-1]}")
    for name in verdict.unknown:
        lost = [match.text for pair, match in matches.items() if name in pair]
        yield Case("fabric", name, "unknown", f"no sound node to hold it against; {lost[-1] if lost else 'no match'}")


def _around(task: Task, cluster: Cluster, nodes: Sequence[Node], sheet: Sheet) -> None:
    """Storage, servers, and what pods see and reach that must not."""
    facts, team = task.desk.facts, task.desk.section.team
    held = [volume for volume in facts.volumes.values() if team in volume.namespaces]
    stores = {volume.name: probe_jobs.volume(task.desk, task.pools[0], volume) for volume in held}
    servers = {server.name: probe_jobs.server(task.desk, server) for server in task.servers}
    bare = {pool.name: probe_jobs.devices(task.desk, pool) for pool in task.pools}
    kept = probe_jobs.borders(task.desk, task.pools[0], nodes, task.egress)
    ended = cluster.play([*stores.values(), *servers.values(), *bare.values(), kept])
    sheet.cases.append(probe_log.borders(ended[kept.name].log, f"team {team}"))
    sheet.cases += [probe_log.devices(ended[run.name].log, name) for name, run in bare.items()]
    for held_volume in held:
        sheet.cases += probe_log.volume(
            ended[stores[held_volume.name].name].log, held_volume.read_gbs, held_volume.name
        )
    for name, run in servers.items():
        sheet.cases += probe_log.server(ended[run.name].log, name)
    for other in (foreign for foreign in facts.volumes.values() if team not in foreign.namespaces):
        sheet.not_checked.append(f"volume {other.name}: team {team} does not mount it")


def _host(node: Node) -> str:
    """By which pods are pinned; a cloud's node may have another name than its host."""
    return str(labels(node).get(HOSTNAME, name_of(node)))
