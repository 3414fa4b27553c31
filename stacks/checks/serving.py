"""Rules about serving: a server fits its GPUs and its pool, finds its weights, and scales on a metric that exists."""

from collections.abc import Iterator
from itertools import chain

from bedplate.catalog.engines import projects_own
from bedplate.catalog.models import gated
from bedplate.components.facts import Volume
from bedplate.components.scheduling.kueue import KueueSection
from bedplate.components.serving.section import AnyServer
from bedplate.components.serving.triton import TritonServer
from bedplate.components.serving.vllm import VllmServer
from bedplate.components.serving.weights import HubWeights, VolumeWeights
from bedplate.stacks.checks.serving_extras import WITH_EFA, check_extras
from bedplate.stacks.checks.serving_model import check_model
from bedplate.stacks.checks.serving_slices import check_part, check_slice, check_slices
from bedplate.stacks.checks.serving_ways import check_scaling, check_ways
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.facts.fabric import apart
from bedplate.stacks.facts.queues import queued_starts
from bedplate.stacks.facts.storage import volumes
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.problem import Problem, keyed, problem
from bedplate.stacks.profile.profile import Profile


def check_serving(profile: Profile) -> Iterator[Problem]:
    """Every fault of the serving section."""
    if profile.serving is None:
        return
    pools = {pool.name: pool for pool in profile.pools}
    names: list[tuple[str, str]] = []
    for key, server in keyed("serving.servers", profile.serving.servers):
        if (server.namespace, server.name) in names:
            yield problem("serving.name-twice", server.name, key)
        names.append((server.namespace, server.name))
        most = profile.tenancy.longest_grace if profile.tenancy else server.patience
        if server.patience > most:
            yield problem("serving.grace-too-long", server.grace, key, server=server, most=most)
        yield from chain(
            _place(profile, server, pools.get(server.pool), key),
            _weights(profile, server, key),
            check_scaling(profile, server, key),
            _group(profile, server, key),
            check_extras(profile, server, key),
            check_ways(profile, server, key),
        )
    yield from _room(profile)


def _place(profile: Profile, server: AnyServer, pool: Pool | None, key: str) -> Iterator[Problem]:
    """A team's namespace, and whole GPUs of a pool, enough for the model."""
    teams = [team.name for team in profile.teams]
    if server.namespace not in teams:
        yield problem("serving.no-such-team", server.namespace, key, teams=", ".join(teams) or "none is declared")
    if pool is None or pool.gpu is None or pool.hardware is None:
        choices = ", ".join(pool.name for pool in profile.pools if pool.gpu)
        yield problem("serving.no-such-pool", server.pool, key, pools=choices or "a GPU pool")
        return
    if problems := list(check_slice(server, pool, key)):
        yield from problems
    elif server.cut.node > pool.hardware.gpus:
        yield _too_wide(server, pool.name, pool.hardware.gpus, key)
    elif not isinstance(server, TritonServer):
        yield from check_model(server, pool, key)


def _too_wide(server: AnyServer, pool: str, gpus: int, key: str) -> Problem:
    """By the key that makes a pod larger than a node."""
    cut, has = server.cut, f"a node of pool {pool} has {gpus} GPUs"
    if isinstance(server, TritonServer):
        return problem("serving.too-many-gpus", cut.node, key, has=has)
    if cut.tensor > gpus:
        return problem("serving.tensor-too-wide", cut.tensor, key, has=has)
    here, field = cut.node // cut.tensor, "dataParallelLocal" if cut.spread > 1 else "dataParallel"
    return problem("serving.copies-too-wide", here, key, field=field, cut=cut, has=has, most=gpus // cut.tensor)


def _weights(profile: Profile, server: AnyServer, key: str) -> Iterator[Problem]:
    """The volume is in the namespace, and every replica may mount it.

    A repository of GGUF has no weights that vLLM finds (vLLM documentation, "GGUF": one file, by name). A hub of the
    site's own (HF_ENDPOINT) asks for whatever it likes.
    """
    there, weights = volumes(profile), server.weights
    if isinstance(weights, VolumeWeights):
        yield from _mountable(server, there, weights.volume, f"{key}.weights.volume", writes=False)
    if not isinstance(weights, HubWeights):
        return
    if "gguf" in weights.repository.lower():
        yield problem("serving.gguf", weights.repository, key)
    if gated(weights.repository) and not weights.gated and "HF_ENDPOINT" not in server.env:
        yield problem("serving.not-gated", weights.gated, key, weights=weights)
    if weights.cache:
        yield from _mountable(server, there, weights.cache, f"{key}.weights.cache", writes=True)
    elif profile.storage is None or profile.storage.cache is None:
        yield problem("serving.downloads-again", None, key)


def _mountable(server: AnyServer, there: dict[str, Volume], name: str, key: str, *, writes: bool) -> Iterator[Problem]:
    volume = there.get(name)
    if volume is None or server.namespace not in volume.namespaces:
        here = [volume.name for volume in there.values() if server.namespace in volume.namespaces]
        yield problem("serving.no-such-volume", name, key, server=server, volumes=", ".join(here) or "it has none")
        return
    pods = server.most * server.cut.nodes
    if pods > 1 and not volume.shared:
        yield problem("serving.mounted-by-one", name, key, volume=volume, pods=pods)
    if writes and volume.read_only:
        yield problem("serving.not-writable", name, key, volume=volume)


def _group(profile: Profile, server: AnyServer, key: str) -> Iterator[Problem]:
    """A replica over several nodes needs the controller of groups; the fabric of a pipeline is advice (`plan/fit.py`).

    Only the boundary of its stages crosses between nodes, a few kB a token.
    """
    if not isinstance(server, VllmServer) or server.cut.nodes == 1:
        return
    if profile.fabric.kind == "efa" and projects_own(server.image):
        yield problem("serving.group-without-libfabric", server.image, key, with_efa=WITH_EFA)
    if profile.training is None or profile.training.leader_worker_set is None:
        yield problem("serving.group-without-controller", None, key)


def _room(profile: Profile) -> Iterator[Problem]:
    """All servers of a pool at their highest load."""
    if profile.serving is None:
        return
    for pool in profile.pools:
        total = pool.most * (pool.hardware.gpus if pool.hardware else 0)
        needed = profile.serving.demand(pool.name)
        if pool.slices:
            yield from check_slices(profile.serving.servers, pool)
            continue
        if total and needed > total:
            yield problem("serving.pool-too-small", f"{needed} GPUs", pool=pool, needed=needed, total=total)


def check_starts(profile: Profile) -> Iterator[Problem]:
    """Kueue takes back the quota of a server that is not ready in time: it would begin to load again and again."""
    section = profile.scheduling
    timeout = section.pods_ready_timeout if isinstance(section, KueueSection) else None
    if timeout is None:
        return
    for index, seconds in queued_starts(profile, volumes(profile)):
        if seconds > timeout:
            yield problem("serving.timeout-too-short", timeout, index=index, seconds=seconds)


def check_groups(profile: Profile) -> Iterator[Problem]:
    """The nodes of a replica that are on the fabric meet over it, with the GPUs that it takes of each."""
    derived = facts(profile)
    rdma = {team.name for team in derived.teams if team.rdma}
    for key, server in keyed("serving.servers", profile.servers):
        pool = derived.pool(server.pool)
        if not isinstance(server, VllmServer) or server.cut.nodes == 1:
            continue
        if not pool.nics or server.namespace not in rdma:
            if server.cut.spread > 1:
                yield problem("serving.copies-without-fabric", server.data_parallel_local, key)
            continue
        if reason := apart(derived.fabric, pool, server.cut.node):
            yield _off_the_fabric(server, reason, pool.gpus, key)


def _off_the_fabric(server: VllmServer, reason: str, gpus: int, key: str) -> Problem:
    """By the key that says how many GPUs of a node it takes."""
    if server.cut.spread == 1:
        fix = f"use {gpus}, or pipelineParallel: 1"
        return problem("serving.group-off-the-fabric", server.tensor_parallel, key, reason=reason, fix=fix)
    fix = f"use {gpus // server.tensor_parallel}"
    return problem("serving.copies-off-the-fabric", server.data_parallel_local, key, reason=reason, fix=fix)


def check_team_parts(profile: Profile) -> Iterator[Problem]:
    """The servers of a team fit its part of each pool, whether it asked for GPUs or has a share of them."""
    if profile.serving is None:
        return
    for at, team in keyed("tenancy.teams", facts(profile).teams):
        for pool in profile.pools:
            part, served = team.gpus.get(pool.name, 0), team.served.get(pool.name, 0)
            if served > part:
                yield problem("serving.team-part-too-small", part, at=at, pool=pool, asked=served)
            key = f"{at}.gpus.{pool.name}"
            yield from check_part(profile.serving.servers, team, pool.name, key)
