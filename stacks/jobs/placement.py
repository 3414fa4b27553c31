"""Rules about a job's place: whether pool, fabric, topology and quota can give what it asks for."""

from collections.abc import Iterator
from itertools import chain

from bedplate.components.facts import Facts, NodePool
from bedplate.components.facts.allocatable import GIB, in_steps
from bedplate.components.facts.pools import GPU, SLICE, slice_profile
from bedplate.components.facts.queues import added, amounts
from bedplate.components.workload.contract import Contract
from bedplate.components.workload.gang import knows_topology
from bedplate.components.workload.job import WHOLE, TrainingJob
from bedplate.components.workload.pod import COORDINATOR, Role, job_share, resource, resources
from bedplate.stacks.facts.fabric import WHOLE_NICS, apart
from bedplate.stacks.jobs.claims import check_claims
from bedplate.stacks.profile.problem import Problem, problem

CPUS_PER_GPU = 4
"""Data loaders and the fabric's threads starve below it."""


def check_placement(job: TrainingJob, facts: Facts, pool: NodePool) -> Iterator[Problem]:
    """Faults of the job on this pool."""
    gpus = job.gpus_per_node or pool.gpus
    problems = list(chain(_fits(job, pool, gpus), _slices(job, pool, gpus), _fabric(job, facts, pool, gpus)))
    yield from chain(problems, _size(job, pool, gpus), _topology(job, facts), check_claims(job, facts))
    if not problems:
        yield from _quota(job, facts, pool)


def _fits(job: TrainingJob, pool: NodePool, gpus: int) -> Iterator[Problem]:
    kind, offered = resource(job, pool), pool.gpu_resources
    if kind not in offered:
        kinds = [slice_profile(name) for name in offered if name.startswith(SLICE)] + [WHOLE] * (GPU in offered)
        fix = f"use {' or '.join(kinds)}" if kinds else "remove it"
        yield problem("job_placement.no-such-slice", job.slice, pool=pool, fix=fix)
        return
    most_each = offered[kind]
    if gpus > most_each:
        yield problem("job_placement.too-many-gpus", gpus, pool=pool, most_each=most_each)
    nodes = (job.elastic.max_nodes if job.elastic else job.nodes) * job.replicas
    most = pool.room(gpus, kind)
    if nodes > most:
        key = "elastic.maxNodes" if job.elastic else "nodes"
        yield problem("job_placement.too-many-nodes", nodes, key, pool=pool, most=most)


def _slices(job: TrainingJob, pool: NodePool, gpus: int) -> Iterator[Problem]:
    """Slices of a GPU have no path to each other (NVIDIA/nccl#1716); shared GPUs give no more for asking twice."""
    if pool.sliced and job.slice != WHOLE and job.nodes * gpus > 1:
        how = "cut into MIG slices" if pool.cut else "shared by time slicing"
        whole = f"slice: {WHOLE}, " if GPU in pool.gpu_resources else ""
        yield problem("job_placement.several-slices", pool.name, pool=pool, how=how, whole=whole)


def _fabric(job: TrainingJob, facts: Facts, pool: NodePool, gpus: int) -> Iterator[Problem]:
    fabric = facts.fabric
    if job.nodes == 1 or fabric.kind == "none":
        return
    reason = apart(fabric, pool, gpus)
    if reason and not pool.nics:
        yield problem("job_placement.outside-the-fabric", pool.name, reason=reason)
    elif not facts.team(job.team).rdma:
        yield problem("job_placement.team-without-rdma", job.team)
    elif reason:
        other = "; or fabric.exposure shared or sriov in the profile" if reason == WHOLE_NICS else ""
        yield problem("job_placement.part-of-the-fabric", gpus, reason=reason, pool=pool, other=other)
    if fabric.env_file and job.kind == "RayJob":
        yield problem("job_placement.environment-file", job.kind, known=fabric)


def _size(job: TrainingJob, pool: NodePool, gpus: int) -> Iterator[Problem]:
    """Processors, memory and shared memory."""
    most, mib = pool.largest
    cpus, memory = most // 1000, mib // GIB
    if job.cpus and job.cpus > cpus:
        yield problem("job_placement.too-many-cpus", job.cpus, pool=pool, cpus=cpus)
    least = CPUS_PER_GPU * gpus
    if job.cpus and job.cpus < least and not pool.sliced:
        yield problem("job_placement.too-few-cpus", job.cpus, each=CPUS_PER_GPU, gpus=gpus, least=least)
    if job.memory_gib and job.memory_gib > memory:
        yield problem("job_placement.too-much-memory", job.memory_gib, pool=pool, memory=memory)
    limit = job.memory_gib or in_steps(mib * pool.part(resource(job, pool), gpus)) // GIB
    if job.shm_gib and job.shm_gib * 2 > limit:
        yield problem("job_placement.too-much-shm", job.shm_gib, limit=limit, most=limit // 2)


def _topology(job: TrainingJob, facts: Facts) -> Iterator[Problem]:
    wishes, topology = job.topology, facts.scheduler.topology
    if wishes is None:
        return
    if topology is None:
        yield problem("job_placement.no-topology", "present")
        return
    for key, level in (("required", wishes.required), ("preferred", wishes.preferred)):
        if level is not None and level not in topology.levels:
            yield problem("job_placement.no-such-level", level, key, topology=topology)
    if not knows_topology(job.kind, facts.scheduler):
        yield problem("job_placement.no-topology-of-kind", "present", job=job)


def _quota(job: TrainingJob, facts: Facts, pool: NodePool) -> Iterator[Problem]:
    """What the team's queue leaves to jobs; a team that borrows may use everybody's part while they leave it idle."""
    team = facts.team(job.team)
    if team.queue is None:
        return
    lenders = [other for other in facts.teams if team.borrows or other is team]
    most = added(other.nominal.get(pool.name, {}) for other in lenders)
    most[pool.resource] = most.get(pool.resource, 0) - sum(other.served.get(pool.name, 0) for other in lenders)
    for name, amount in demand(job, facts).items():
        if amount > most.get(name, 0):
            whose = "all teams together are" if team.borrows else f"team {team.name} is"
            given = f"{whose} given {most.get(name, 0)} of pool {pool.name}"
            yield problem("job_placement.beyond-quota", job.nodes, asked=f"{amount} {name}", given=given)


def demand(job: TrainingJob, facts: Facts) -> dict[str, int]:
    """Everything that the job's pods ask for, in the units of quota."""
    share = job_share(job, Contract(facts, facts.team(job.team)))
    pods = job.nodes * job.replicas
    watching = [amounts(COORDINATOR)] if job.row.coordinator else []
    return added([amounts(resources(job, share, Role()), pods), *watching])
