"""Rules about servers on parts of a GPU: a MIG slice that the pool has, one for each pod, and enough of them."""

from collections import Counter
from collections.abc import Iterable, Iterator

from bedplate.components.facts.pools import slice_resource
from bedplate.components.facts.queues import TeamFacts
from bedplate.components.serving.section import AnyServer
from bedplate.components.serving.vllm import VllmServer
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.problem import Problem, problem


def check_slice(server: AnyServer, pool: Pool, key: str) -> Iterator[Problem]:
    """What the server takes is what the pool has: slices where its GPUs are cut, else whole ones."""
    profile_name, kinds = server.kind_of_slice, sorted(_there(pool))
    if pool.time_slicing > 1:
        yield problem("serving_slices.shared-by-time", server.pool, key)
    elif profile_name is None and kinds:
        fix = (
            f"say which as `slice`: {' or '.join(kinds)}" if server.kind == "vllm" else "use another pool, or kind vllm"
        )
        yield problem("serving_slices.pool-is-cut", server.pool, key, fix=fix)
    elif profile_name is not None and profile_name not in kinds:
        fix = f"use {' or '.join(kinds)}" if kinds else "remove it"
        yield problem("serving_slices.no-such-slice", profile_name, key, pool=pool, fix=fix)
    elif profile_name is not None and isinstance(server, VllmServer):
        yield from _alone(server, key)


def _alone(server: VllmServer, key: str) -> Iterator[Problem]:
    """Slices have no path to each other (NVIDIA/nccl#1716), and no NIC."""
    for field, value in (
        ("tensorParallel", server.tensor_parallel),
        ("pipelineParallel", server.pipeline_parallel),
        ("dataParallel", server.data_parallel),
    ):
        if value > 1:
            yield problem("serving_slices.slices-alone", value, key, field=field)
    if server.kv_transfer:
        yield problem("serving_slices.transfer-on-slice", "present", key)


def check_slices(servers: Iterable[AnyServer], pool: Pool) -> Iterator[Problem]:
    """All servers of a pool at their highest load, kind by kind."""
    for kind, needed in _taken(server for server in servers if server.pool == pool.name).items():
        total = pool.most * _there(pool)[kind]
        if total and needed > total:
            yield problem(
                "serving_slices.too-few", f"{needed} slices", pool=pool, needed=needed, kind=kind, total=total
            )


def check_part(servers: Iterable[AnyServer], team: TeamFacts, pool: str, key: str) -> Iterator[Problem]:
    """A team's servers on slices of a pool fit what its queue may hand out of them."""
    here = (server for server in servers if server.pool == pool and server.namespace == team.name)
    for kind, needed in _taken(here).items():
        part = team.nominal.get(pool, {}).get(slice_resource(kind), 0)
        if needed > part:
            yield problem(
                "serving_slices.team-part-too-small", team.gpus.get(pool), key, needed=needed, kind=kind, part=part
            )


def _taken(servers: Iterable[AnyServer]) -> Counter[str]:
    """Slices at the highest load, by kind."""
    taken = Counter[str]()
    for server in servers:
        if server.kind_of_slice:
            taken[server.kind_of_slice] += server.most
    return taken


def _there(pool: Pool) -> Counter[str]:
    """Slices of one node, by kind."""
    slices = Counter[str]()
    for gpu in pool.slices:
        slices.update(gpu)
    return slices
