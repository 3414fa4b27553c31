"""Whether it fits: GPU memory, queue and fabric in one line for each pool, job and server of a plan.

Only what follows from the profile: a team's own models are not in it, so a pool has memory and no load. What does not
fit is refused before there is a plan (`stacks/checks/`); these lines say by how much the rest does.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from bedplate.components.facts import Facts, NodePool
from bedplate.components.facts.allocatable import GIB
from bedplate.components.facts.pools import slice_resource
from bedplate.components.serving.fit import PLAIN
from bedplate.components.serving.room import card
from bedplate.components.serving.section import AnyServer
from bedplate.components.serving.server import Llm
from bedplate.components.serving.triton import TritonServer
from bedplate.components.serving.vllm import VllmServer
from bedplate.components.verification.nccl import NAME
from bedplate.components.workload.job import TrainingJob
from bedplate.stacks.checks.serving_engine import needs_code
from bedplate.stacks.profile.profile import Profile

TIB = 1024
"""GiB."""


@dataclass(frozen=True)
class Line:
    """One thing that must fit."""

    kind: str
    name: str
    memory: str
    queue: str
    fabric: str

    @property
    def text(self) -> str:
        """One line."""
        return "; ".join(part for part in (self.memory, self.queue, self.fabric) if part)

    def as_json(self) -> dict[str, Any]:
        """For machines, with the line."""
        return {**asdict(self), "text": self.text}


def lines(profile: Profile, facts: Facts) -> Iterator[Line]:
    """Pools with GPUs, then the checks' own job, then servers."""
    yield from (of_pool(pool, facts) for pool in facts.gpu_pools)
    if (own := profile.verification) and own.qualify is None:
        pool = facts.pool(own.pool or facts.gpu_pools[0].name)
        yield Line("job", NAME, "", _asks(facts, own.team, pool, own.nodes * pool.gpus), _rails(pool, facts))
    for server in profile.servers:
        yield of_server(server, facts)


def of_pool(pool: NodePool, facts: Facts) -> Line:
    """What there is, and how much of it queues hand out: slices where GPUs are cut, as the queues count them."""
    gpus = f"{pool.most} × {pool.gpus} GPUs"
    memory = f"{gpus} of {pool.gpu_memory_gib} GiB, {_size(pool.total_gpus * pool.gpu_memory_gib)} in all"
    node = pool.allocatable
    gives = f"a node gives pods {node.millicores // 1000} CPUs and {_size(node.memory // GIB)}"
    units = f"{pool.units * pool.most} {'slices' if pool.sliced else 'GPUs'}"
    parts = {team.name: team.nominal.get(pool.name, {}) for team in facts.teams if team.queue}
    counted = {team: sum(part.get(name, 0) for name in pool.gpu_resources) for team, part in parts.items()}
    given = {team: count for team, count in counted.items() if count}
    queue = f"quotas {sum(given.values())} of {units} ({_named(given)})" if given else "no quotas"
    return Line("pool", pool.name, f"{memory if pool.gpu_memory_gib else gpus}; {gives}", queue, _rails(pool, facts))


def of_job(job: TrainingJob, facts: Facts) -> Line:
    """A team's own job; of its model nothing is known here (`bedplate size train`)."""
    pool = facts.pool(job.pool or facts.gpu_pools[0].name)
    gpus = job.nodes * (job.gpus_per_node or pool.units)
    fabric = "" if job.nodes == 1 else _rails(pool, facts) if pool.nics else "no fabric: its nodes talk by TCP"
    return Line("job", job.name, "", _asks(facts, job.team, pool, gpus), fabric)


def of_server(server: AnyServer, facts: Facts) -> Line:
    """Weights and cache on a GPU, and the GPUs at the highest load."""
    pool = facts.pool(server.pool)
    queue = _asks(facts, server.namespace, pool, server.most * server.cut.gpus)
    if kind := server.kind_of_slice:
        there = pool.most * pool.gpu_resources.get(slice_resource(kind), 0)
        queue = f"{server.most} of the {there} slices {kind} of {pool.name}"
    across = server.cut.gpus > server.cut.node
    fabric = _between(server, pool, facts) if across else "" if server.cut.node == 1 else "within a node"
    remarks = (_memory(server, pool), _half(server), _cut_off(server))
    return Line("server", server.name, "; ".join(filter(None, remarks)), queue, fabric)


def _between(server: AnyServer, pool: NodePool, facts: Facts) -> str:
    """The fabric between the nodes of a replica, or an advice where its namespace or pool has none."""
    if pool.nics and facts.team(server.namespace).rdma:
        return _rails(pool, facts)
    model = None if isinstance(server, TritonServer) else server.facts
    traffic = f", {model.hidden * 2 / 1000:.0f} kB a token" if model and model.hidden else ""
    return f"no fabric: its nodes hand over by TCP{traffic}; with RDMA the first word comes sooner"


def _half(server: AnyServer) -> str:
    """A server that is a part of a pair is not to be asked by itself."""
    role = server.kv_transfer.role if isinstance(server, VllmServer) and server.kv_transfer else "both"
    if pair := server.pair if isinstance(server, VllmServer) else None:
        return f"{role} half of the pair {pair}"
    return "" if role == "both" else f"{role} half of a pair, to be asked by a router of pairs (docs/serving.md)"


def _cut_off(server: AnyServer) -> str:
    """The chart cannot say how long a pod may take to go."""
    return f"answers are cut off after {server.patience} s when a pod goes" if server.kind == "vllm-stack" else ""


def _memory(server: AnyServer, pool: NodePool) -> str:
    if isinstance(server, TritonServer):
        return ""
    model = server.facts
    if model is None:
        return f"not known: the sizes of {server.model}"
    if not pool.gpu_memory_gib:
        return ""
    fit = server.fit(card(pool.gpu_product, pool.gpu_memory_gib, server.kind_of_slice))
    unit = "slice" if server.kind_of_slice else "GPU"
    cache = f"{fit.sequences} requests of {server.longest} tokens at once"
    fits = f"weights {fit.weights:.1f} of {fit.usable:.1f} GB a {unit}, the rest holds {cache}"
    whose = "" if isinstance(server.model, str) else f"; sizes by {model.source}"
    lacking = _lacking(server)
    return f"{fits}{whose}; not known: {', '.join(lacking)}" if lacking else f"{fits}{whose}"


def _lacking(server: Llm) -> list[str]:
    """Keys of the model's facts that a check of this server would have to know, and that nobody has stated."""
    model = server.facts
    if model is None:
        return []
    divided = model.expert_billions > 0 and server.precision == "fp8" and server.cut.tensor * server.cut.data > 1
    lacking = {
        "maxLength": model.max_length is None,
        "remoteCode": needs_code(server) is None and not server.trusts,
        "expertWidth": divided and not server.whole_experts and model.expert_width is None,
        "fp8Block": divided and not server.whole_experts and model.fp8_block is None,
        "stateBytes": model.linear > 0 and model.state_bytes is None,
        "hidden and vocabulary": server.precision != PLAIN and not model.word_billions,
    }
    return [name for name, lacks in lacking.items() if lacks]


def _asks(facts: Facts, team: str, pool: NodePool, gpus: int) -> str:
    """At most so many GPUs, of the team's own part where it has one, else of the pool."""
    own = {team_facts.name: team_facts for team_facts in facts.teams}.get(team)
    part = own.gpus.get(pool.name) if own and own.queue else None
    if own is None or part is None:
        return f"{gpus} of the {pool.units * pool.most} GPUs of {pool.name}"
    more = ", the rest borrowed" if gpus > part and own.borrows else ""
    return f"{gpus} GPUs, of {team}'s {part} of {pool.name}{more}"


def _rails(pool: NodePool, facts: Facts) -> str:
    if not pool.nics:
        return "no fabric"
    rate = f" of {pool.nic_gbps} Gb/s" if pool.nic_gbps else ""
    floor = f", {pool.busbw_floor_gbs} GB/s or more over two nodes" if pool.busbw_floor_gbs else ""
    return f"{facts.fabric.kind}, {pool.nics} NICs{rate} for {pool.gpus} GPUs{floor}"


def _size(gib: int) -> str:
    return f"{gib / TIB:.1f} TiB" if gib >= TIB else f"{gib} GiB"


def _named(parts: dict[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in parts.items())
