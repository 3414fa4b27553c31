"""The verification job is held to the same rules as any other; its faults are the section's."""

from collections.abc import Iterator

from bedplate.components.facts import Facts
from bedplate.components.facts.capacity import FlexStart
from bedplate.components.verification.nccl import VerificationSection, job
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.jobs.checks import check_job
from bedplate.stacks.profile.problem import Problem
from bedplate.stacks.profile.profile import Profile

KEYS = {"gpusPerNode": "pool", "kind": "team", "topology": "team"}
"""Keys of the job that the section does not have, by the key that decides them."""


def check_verification(profile: Profile) -> Iterator[Problem]:
    """Derived facts are looked at, so the profile must be sound otherwise."""
    section = profile.verification
    if section is None:
        return
    known = facts(profile)
    if section.image.partition("@")[0].rpartition("/")[2].startswith("nccl-tests"):
        reason = "the test is a program of PyTorch, and images of nccl-tests have none (awslabs/awsome-distributed-ai)"
        fix = "use one that has it, such as nvcr.io/nvidia/pytorch or AWS's deep-learning-containers/pytorch-training"
        yield Problem("verification.image", section.image, reason, fix)
    if section.qualify:
        yield from _gate(section, known)
        return
    if known.fabric.kind == "none":
        reason = "the cluster has no fabric to verify"
        yield Problem("verification", "present", reason, "remove it, or declare the fabric")
        return
    yield from _there(section, known)
    for problem in check_job(job(section, known), known):
        key = KEYS.get(problem.key, problem.key)
        yield Problem(f"verification.{key}", problem.value, problem.reason, problem.fix)


def _there(section: VerificationSection, known: Facts) -> Iterator[Problem]:
    """Machines that come when there are some: a deployment would wait for them until it fails."""
    for pool in known.gpu_pools:
        if isinstance(pool.capacity, FlexStart) and section.pool in (None, pool.name):
            reason = f"pool {pool.name} begins empty, and a deployment would wait for machines of flex-start"
            fix = "remove verification, and use `bedplate verify` when there are some"
            yield Problem("verification", "present", reason, fix)


def _gate(section: VerificationSection, known: Facts) -> Iterator[Problem]:
    """Somebody keeps pods off nodes without the label, and new nodes come without it."""
    key = "verification.qualify"
    if known.scheduler.kind != "kueue":
        reason = f"only Kueue's flavors keep pods off nodes without a label, and here is {known.scheduler.kind}"
        yield Problem(key, "present", reason, "remove it, or use scheduling.kind: kueue")
        return
    if section.team not in [team.name for team in known.teams]:
        reason, fix = "no such team on this cluster", f"use {' or '.join(team.name for team in known.teams)}"
        yield Problem("verification.team", section.team, reason, fix)
    gated = [(place, pool) for place, pool in enumerate(known.pools) if pool.gate]
    if not gated:
        yield Problem(key, "present", "no pool has whole GPUs that could be tested", "remove it")
    for place, pool in gated:
        if pool.autoscale:
            reason = "an autoscaler adds no node for pods that want a label which its nodes do not have when they come"
            fix = "give it `nodes`, or remove verification.qualify"
            yield Problem(f"pools[{place}].autoscale", pool.name, reason, fix)
