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
from bedplate.stacks.profile.problem import Problem

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
        yield Problem("slice", job.slice, f"a node of pool {pool.name} has none", fix)
        return
    most_each = offered[kind]
    if gpus > most_each:
        yield Problem("gpusPerNode", gpus, f"a node of pool {pool.name} has {most_each}", f"use {most_each} or fewer")
    asked = (job.elastic.max_nodes if job.elastic else job.nodes) * job.replicas
    most = pool.room(gpus, kind)
    if asked > most:
        key = "elastic.maxNodes" if job.elastic else "nodes"
        reason = f"pool {pool.name} has {pool.most} nodes, room for {most} such pods"
        yield Problem(key, asked, reason, f"use {most} or fewer")


def _slices(job: TrainingJob, pool: NodePool, gpus: int) -> Iterator[Problem]:
    """Slices of a GPU have no path to each other (NVIDIA/nccl#1716); shared GPUs give no more for asking twice."""
    if pool.sliced and job.slice != WHOLE and job.nodes * gpus > 1:
        how = "cut into MIG slices" if pool.cut else "shared by time slicing"
        reason = f"pool {pool.name} is {how}, which a job of several GPUs cannot use"
        whole = f"slice: {WHOLE}, " if GPU in pool.gpu_resources else ""
        yield Problem("pool", pool.name, reason, f"use another pool, {whole}or gpusPerNode: 1 and nodes: 1")


def _fabric(job: TrainingJob, facts: Facts, pool: NodePool, gpus: int) -> Iterator[Problem]:
    known = facts.fabric
    if job.nodes == 1 or known.kind == "none":
        return
    reason = apart(known, pool, gpus)
    if reason and not pool.nics:
        yield Problem("pool", pool.name, reason, "use a pool within the fabric, or one node")
    elif not facts.team(job.team).rdma:
        lacks = "this team does not use the fabric, and a job of several nodes needs it"
        yield Problem("team", job.team, lacks, "set rdma: true for the team in the profile, or use one node")
    elif reason:
        other = "; or fabric.exposure shared or sriov in the profile" if reason == WHOLE_NICS else ""
        yield Problem("gpusPerNode", gpus, reason, f"use {pool.gpus}{other}")
    if known.env_file and job.kind == "RayJob":
        reason = f"{known.env_file} must be sourced before NCCL, and KubeRay starts Ray itself"
        yield Problem("kind", job.kind, reason, "use another kind")


def _size(job: TrainingJob, pool: NodePool, gpus: int) -> Iterator[Problem]:
    """Processors, memory and shared memory."""
    most, mib = pool.largest
    cpus, memory = most // 1000, mib // GIB
    if job.cpus and job.cpus > cpus:
        yield Problem("cpus", job.cpus, f"a node of pool {pool.name} has {cpus} to give", f"use {cpus} or fewer")
    if job.cpus and job.cpus < CPUS_PER_GPU * gpus and not pool.sliced:
        reason = f"fewer than {CPUS_PER_GPU} for each of {gpus} GPUs starve the data loaders"
        yield Problem("cpus", job.cpus, reason, f"use {CPUS_PER_GPU * gpus} or more")
    if job.memory_gib and job.memory_gib > memory:
        fix = f"use {memory} or fewer"
        yield Problem("memoryGib", job.memory_gib, f"a node of pool {pool.name} has {memory} to give", fix)
    limit = job.memory_gib or in_steps(mib * pool.part(resource(job, pool), gpus)) // GIB
    if job.shm_gib and job.shm_gib * 2 > limit:
        reason = f"it counts as memory, and more than half of {limit} GiB leaves too little for the program"
        yield Problem("shmGib", job.shm_gib, reason, f"use {limit // 2} or less")


def _topology(job: TrainingJob, facts: Facts) -> Iterator[Problem]:
    asked, topology = job.topology, facts.scheduler.topology
    if asked is None:
        return
    if topology is None:
        yield Problem("topology", "present", "no scheduler of this cluster knows its topology", "remove it")
        return
    for key, level in (("required", asked.required), ("preferred", asked.preferred)):
        if level is not None and level not in topology.levels:
            reason = "not a level of this cluster's topology"
            yield Problem(f"topology.{key}", level, reason, f"use {' or '.join(topology.levels)}")
    if not knows_topology(job.kind, facts.scheduler):
        reason = f"the operator of kind {job.kind} makes a PodGroup without a topology"
        yield Problem("topology", "present", reason, "remove it, or use kind VolcanoJob, JobSet or TrainJob")


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
            reason = (
                f"the job asks for {amount} {name}, and {whose} given {most.get(name, 0)} of pool {pool.name} for jobs"
            )
            yield Problem("nodes", job.nodes, reason, "use fewer nodes, or give the team a larger share")


def demand(job: TrainingJob, facts: Facts) -> dict[str, int]:
    """Everything that the job's pods ask for, in the units of quota."""
    share = job_share(job, Contract(facts, facts.team(job.team)))
    pods = job.nodes * job.replicas
    watching = [amounts(COORDINATOR)] if job.row.coordinator else []
    return added([amounts(resources(job, share, Role()), pods), *watching])
