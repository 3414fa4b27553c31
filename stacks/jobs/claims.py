"""Rules about a job's claims: they exist, in its namespace, in a mode for what it does there."""

from collections.abc import Iterator
from dataclasses import dataclass

from bedplate.components.facts import Facts
from bedplate.components.workload.job import Checkpoint, TrainingJob
from bedplate.stacks.profile.problem import Problem


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
    for index, one in enumerate(job.volumes):
        yield Claim(f"volumes[{index}].claim", one.claim, reads=one.read_only, made=one.existing)


def check_claims(job: TrainingJob, facts: Facts) -> Iterator[Problem]:
    """Every fault of them; a pod with a claim that nobody makes is Pending for ever."""
    for claim in claims(job):
        if claim.name in facts.volumes:
            yield from _suits(job, claim, facts)
        elif not claim.made:
            yield _unknown(job, claim, facts)
    state = job.checkpoint
    if state and state.size and state.claim in facts.volumes:
        reason = "the profile makes this claim already"
        yield Problem("checkpoint.size", state.size, reason, "remove size, or name another claim")
    elif state and state.size and not state.existing:
        yield from _class(state, facts)
    rights = {one: name for name, one in _accounts(job, facts)}
    if len(rights) > 1:
        reason = f"{' and '.join(rights.values())} are read by different service accounts, and a pod has one"
        yield Problem("volumes", f"{len(job.volumes)} volumes", reason, "mount one of them, or give them one account")
    if state and state.size and state.existing:
        reason = f"claim {state.claim} cannot be there already and be made with {state.size}"
        yield Problem("checkpoint.existing", "true", reason, "remove one of existing and size")


def _accounts(job: TrainingJob, facts: Facts) -> Iterator[tuple[str, str]]:
    """Each of the profile's volumes that is read with somebody's rights, and whose."""
    for claim in claims(job):
        if claim.name in facts.volumes and (account := facts.volumes[claim.name].service_account):
            yield claim.name, account


def _suits(job: TrainingJob, claim: Claim, facts: Facts) -> Iterator[Problem]:
    volume = facts.volumes[claim.name]
    if job.team not in volume.namespaces:
        reason = f"the profile's volume of that name is not in namespace {job.team}"
        fix = f"add {job.team} to storage.volumes namespaces, or use another claim"
        yield Problem(claim.key, claim.name, reason, fix)
    elif (volume.read_only and not claim.reads) or (job.nodes > 1 and not volume.shared):
        need = "ReadOnlyMany or ReadWriteMany" if claim.reads else "ReadWriteMany"
        yield Problem(claim.key, claim.name, f"its mode is {volume.mode}, the job needs {need}", "use another volume")


def _unknown(job: TrainingJob, claim: Claim, facts: Facts) -> Problem:
    mine = [volume.name for volume in facts.volumes.values() if job.team in volume.namespaces]
    use = f"use {' or '.join(mine)}" if mine else "add it to storage.volumes"
    reason = f"the profile has no such volume in namespace {job.team}, and the job does not make it"
    return Problem(claim.key, claim.name, reason, f"{use}, or say existing: true beside it if the team has made it")


def _class(state: Checkpoint, facts: Facts) -> Iterator[Problem]:
    """All nodes write at once, and a cluster's default class, if it has one, makes disks of one node.

    EKS, kubeadm and RKE2 come without a default; GKE's, AKS', OKE's and k3s' are disks (their documentation of storage
    classes). The claim, and with it the job, would be Pending for ever.
    """
    many = [name for name, shared in facts.classes.items() if shared]
    fix = f"use {' or '.join(many)}" if many else "name one of NFS, CephFS or Lustre; or a volume of storage.volumes"
    if state.storage_class is None:
        reason = "all nodes write to the claim, and a default class, where there is one, makes disks of one node"
        yield Problem("checkpoint.storageClass", None, reason, fix)
    elif not facts.classes.get(state.storage_class, True):
        yield Problem("checkpoint.storageClass", state.storage_class, "its volumes are mounted by one node", fix)
