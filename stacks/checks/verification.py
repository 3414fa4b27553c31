"""The verification job is held to the same rules as any other; its faults are the section's."""

from collections.abc import Iterator

from components.verification.nccl import job
from stacks.facts.derive import facts
from stacks.jobs.checks import check_job
from stacks.profile.problem import Problem
from stacks.profile.profile import Profile

KEYS = {"gpusPerNode": "pool", "kind": "team", "topology": "team"}
"""Keys of the job that the section does not have, by the key that decides them."""


def check_verification(profile: Profile) -> Iterator[Problem]:
    """Derived facts are looked at, so the profile must be sound otherwise."""
    section = profile.verification
    if section is None:
        return
    known = facts(profile)
    if known.fabric.kind == "none":
        reason = "the cluster has no fabric to verify"
        yield Problem("verification", "present", reason, "remove it, or declare the fabric")
        return
    for problem in check_job(job(section, known), known):
        key = KEYS.get(problem.key, problem.key)
        yield Problem(f"verification.{key}", problem.value, problem.reason, problem.fix)
