"""What the command needs of the profile, or a line that says what is missing."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bedplate.cluster.objects import labels, name
from bedplate.components.facts import Facts, NodePool
from bedplate.components.verification.nccl import VerificationSection
from bedplate.components.verification.pools import device_pools
from bedplate.nearest import meant
from bedplate.stacks.profile.problem import Problem, ProfileError
from bedplate.stacks.profile.profile import Profile
from bedplate.verify.run import Task


def section(profile: Profile, team: str | None, image: str | None, *, jobs: bool = True) -> VerificationSection:
    """The profile's own, with what the command says instead of it; without jobs nothing of it need be there."""
    own = profile.verification
    if not jobs:
        return own or VerificationSection.model_construct(team="", image="")
    problems = list(_missing(team or (own and own.team), image or (own and own.image), profile))
    if problems:
        raise ProfileError(problems)
    options = {"team": team, "image": image}
    given = {key: value for key, value in options.items() if value}
    return own.model_copy(update=given) if own else VerificationSection.model_validate(given)


def _missing(team: str | None, image: str | None, profile: Profile) -> Iterator[Problem]:
    teams = [team.name for team in profile.teams]
    fix = "say it there or by --{0}"
    if team is None:
        yield Problem("verification.team", None, "checks run in a team's queue", fix.format("team"))
    elif team not in teams:
        choices = " or ".join(teams) or "a team: add one under tenancy.teams"
        yield Problem("verification.team", team, "no such team on this cluster", f"use {choices}")
    if image is None:
        yield Problem("verification.image", None, "checks run an image with PyTorch", fix.format("image"))


def gate_of(section: VerificationSection) -> None:
    """Without the key nothing keeps a node out, and there is nothing to let in."""
    if section.qualify is None:
        reason, fix = "no node is kept out of the queues", "add `qualify: {atOnce: 8}`, deploy, and run it again"
        raise ProfileError([Problem("verification.qualify", None, reason, fix)])


def pools(facts: Facts, name: str | None, *, jobs: bool = True) -> tuple[NodePool, ...]:
    """Those with GPUs, or the one that was asked for; without jobs also those with devices of the fabric alone."""
    known = facts.gpu_pools if jobs else device_pools(facts)
    chosen = tuple(pool for pool in known if name in (None, pool.name))
    if not chosen:
        choices = " or ".join(pool.name for pool in known) or "nothing: no pool has GPUs"
        raise ProfileError([Problem("--pool", name, "no such pool with GPUs", f"use {choices}")])
    return chosen


def driver(profile: Profile) -> str | None:
    """The version that the profile wants."""
    return profile.gpu_operator.driver_version if profile.gpu_operator else None


def known_nodes(task: Task, nodes: Sequence[Mapping[str, Any]]) -> None:
    """Every name that the command gives is a node of a pool with GPUs."""
    selectors = [pool.selector.items() for pool in task.pools]
    mine = [name(node) for node in nodes if any(selector <= labels(node).items() for selector in selectors)]
    strange = sorted(task.nodes - set(mine))
    if strange:
        fix = meant(strange[0], mine) or "`kubectl get nodes` lists them"
        reason = "no such node of a pool with GPUs"
        raise ProfileError([Problem("--nodes", unknown, reason, fix) for unknown in strange])
