"""The verification job is held to the same rules as any other; its faults are the section's."""

from collections.abc import Iterator
from dataclasses import replace

from bedplate.components.facts import Facts
from bedplate.components.facts.capacity import FlexStart
from bedplate.components.verification.nccl import VerificationSection, job
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.jobs.checks import check_job
from bedplate.stacks.profile.problem import Problem, problem
from bedplate.stacks.profile.profile import Profile

KEYS = {"gpusPerNode": "pool", "kind": "team", "topology": "team"}
"""Keys of the job that the section does not have, by the key that decides them."""


def check_verification(profile: Profile) -> Iterator[Problem]:
    """Derived facts are looked at, so the profile must be sound otherwise."""
    section = profile.verification
    if section is None:
        return
    derived = facts(profile)
    if section.image.partition("@")[0].rpartition("/")[2].startswith("nccl-tests"):
        yield problem("verification.no-pytorch", section.image)
    if section.qualify:
        yield from _gate(section, derived)
        return
    if derived.fabric.kind == "none":
        yield problem("verification.no-fabric", "present")
        return
    # A deployment would wait for machines that come when there are some, until it fails.
    for pool in derived.gpu_pools:
        if isinstance(pool.capacity, FlexStart) and section.pool in (None, pool.name):
            yield problem("verification.flex-start", "present", pool=pool)
    for fault in check_job(job(section, derived), derived):
        yield replace(fault, key=f"verification.{KEYS.get(fault.key, fault.key)}")


def _gate(section: VerificationSection, facts: Facts) -> Iterator[Problem]:
    """Somebody keeps pods off nodes without the label, and new nodes come without it."""
    if facts.scheduler.kind != "kueue":
        yield problem("verification.gate-without-kueue", "present", known=facts)
        return
    teams = [team.name for team in facts.teams]
    if section.team not in teams:
        yield problem("verification.no-such-team", section.team, teams=teams)
    gated = [(place, pool) for place, pool in enumerate(facts.pools) if pool.gate]
    if not gated:
        yield problem("verification.nothing-to-gate", "present")
    for place, pool in gated:
        if pool.autoscale:
            yield problem("verification.gate-beside-autoscaler", pool.name, place=place)
