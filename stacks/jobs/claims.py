"""Rules about a job's claims: they exist, in its namespace, in a mode for what it does there."""

from collections.abc import Iterator
from dataclasses import dataclass

from bedplate.components.facts import Facts
from bedplate.components.workload.job import Checkpoint, TrainingJob
from bedplate.stacks.profile.problem import Problem, problem


@dataclass(frozen=True)
class Claim:
    """One that the job mounts."""

    key: str
    name: str
    reads: bool
    made: bool
    """By the team itself, or with the job."""


def claims(job: TrainingJob) -> Iterator[Claim]:
    """Where state goes, and what else it mounts."""
    if state := job.checkpoint:
        yield Claim("checkpoint.claim", state.claim, reads=False, made=state.existing or bool(state.size))
    for index, claim in enumerate(job.volumes):
        yield Claim(f"volumes[{index}].claim", claim.claim, reads=claim.read_only, made=claim.existing)


def check_claims(job: TrainingJob, facts: Facts) -> Iterator[Problem]:
    """Every fault of them; a pod with a claim that nobody makes is Pending for ever."""
    for claim in claims(job):
        if claim.name in facts.volumes:
            yield from _suits(job, claim, facts)
        elif not claim.made:
            yield _unknown(job, claim, facts)
    state = job.checkpoint
    if state and state.size and state.claim in facts.volumes:
        yield problem("job_claims.made-already", state.size)
    elif state and state.size and not state.existing:
        yield from _class(state, facts)
    mounted = [facts.volumes[claim.name] for claim in claims(job) if claim.name in facts.volumes]
    rights = {volume.service_account: volume.name for volume in mounted if volume.service_account}
    if len(rights) > 1:
        yield problem("job_claims.several-accounts", f"{len(job.volumes)} volumes", volumes=list(rights.values()))
    if state and state.size and state.existing:
        yield problem("job_claims.made-and-existing", "true", state=state)


def _suits(job: TrainingJob, claim: Claim, facts: Facts) -> Iterator[Problem]:
    volume = facts.volumes[claim.name]
    if job.team not in volume.namespaces:
        yield problem("job_claims.not-in-namespace", claim.name, claim=claim, job=job)
    elif (volume.read_only and not claim.reads) or (job.nodes > 1 and not volume.shared):
        need = "ReadOnlyMany or ReadWriteMany" if claim.reads else "ReadWriteMany"
        yield problem("job_claims.mode", claim.name, claim=claim, volume=volume, need=need)


def _unknown(job: TrainingJob, claim: Claim, facts: Facts) -> Problem:
    mine = [volume.name for volume in facts.volumes.values() if job.team in volume.namespaces]
    use = f"use {' or '.join(mine)}" if mine else "add it to storage.volumes"
    return problem("job_claims.unknown", claim.name, claim=claim, job=job, use=use)


def _class(state: Checkpoint, facts: Facts) -> Iterator[Problem]:
    """All nodes write at once, and a cluster's default class, if it has one, makes disks of one node.

    EKS, kubeadm and RKE2 come without a default; GKE's, AKS', OKE's and k3s' are disks (their documentation of storage
    classes). The claim, and with it the job, would be Pending for ever.
    """
    many = [name for name, shared in facts.classes.items() if shared]
    fix = f"use {' or '.join(many)}" if many else "name one of NFS, CephFS or Lustre; or a volume of storage.volumes"
    if state.storage_class is None:
        yield problem("job_claims.default-class", fix=fix)
    elif not facts.classes.get(state.storage_class, True):
        yield problem("job_claims.class-of-one-node", state.storage_class, fix=fix)
