"""Rules about the scheduler: teams to serve, pools that it can tell apart, and levels that exist."""

from collections.abc import Iterator
from itertools import chain

from bedplate.components.facts.queues import HOSTNAME, NETWORK
from bedplate.components.platforms import PLATFORMS
from bedplate.components.scheduling.topology import SchedulerSection
from bedplate.stacks.facts.pools import selector
from bedplate.stacks.profile.problem import Problem
from bedplate.stacks.profile.profile import Profile

MOST_FLAVORS = 64
"""Of the v1beta2 ClusterQueue's schema."""


def check_scheduling(profile: Profile) -> Iterator[Problem]:
    """Every fault of the scheduling section."""
    section = profile.scheduling
    if section is None:
        return
    yield from chain(_served(profile), _levels(profile, section), _domains(profile, section))
    if section.kind == "kueue":
        yield from _flavors(profile)


def _served(profile: Profile) -> Iterator[Problem]:
    """Queues belong to teams; without one no job is ever admitted."""
    if not (profile.tenancy and profile.tenancy.teams):
        reason = "queues belong to teams, and there is none, so no job would be admitted"
        yield Problem("tenancy.teams", None, reason, "add a team, or remove scheduling")


def _levels(profile: Profile, section: SchedulerSection) -> Iterator[Problem]:
    """Each once, the node last, and what jobs are held to is one of them."""
    key, asked = "scheduling.topology", section.topology
    levels = PLATFORMS[profile.platform].levels if asked.levels is None else asked.levels
    if len(set(levels)) != len(levels):
        yield Problem(f"{key}.levels", list(levels), "a level is listed twice", "list each once, the widest first")
    if HOSTNAME in levels[:-1]:
        yield Problem(f"{key}.levels", list(levels), f"{HOSTNAME} is not the last", "leave it out, it is added")
    for name, level in (("required", asked.required), ("preferred", asked.preferred)):
        if level and level not in (*levels, HOSTNAME):
            known = ", ".join(levels) or "none, as this platform has no labels of its own"
            yield Problem(f"{key}.{name}", level, "not a level of the topology", f"use one of its levels: {known}")
    if asked.required and asked.preferred:
        reason = "a job is held to one level, required or preferred"
        yield Problem(f"{key}.preferred", asked.preferred, reason, "remove one of the two")


def _domains(profile: Profile, section: SchedulerSection) -> Iterator[Problem]:
    """Only Volcano is told of domains, and only those of a label."""
    key, asked = "scheduling.topology.domains", section.topology
    if not asked.domains:
        return
    kind = profile.scheduling.kind if profile.scheduling else None
    if kind != "volcano":
        yield Problem(key, list(asked.domains), f"{kind} reads the labels themselves", "remove it; levels is enough")
    if not asked.levels:
        yield Problem(key, list(asked.domains), "values of which label is not said", "add levels")
    if len(set(asked.domains)) != len(asked.domains) or NETWORK in asked.domains:
        reason = f"a domain is listed twice, or named {NETWORK}, which is the one above them"
        yield Problem(key, list(asked.domains), reason, "list each once")


def _flavors(profile: Profile) -> Iterator[Problem]:
    """Kueue knows pools by their labels: two with the same would each count the other's nodes."""
    if len(profile.pools) > MOST_FLAVORS:
        reason = f"a ClusterQueue of Kueue holds at most {MOST_FLAVORS} flavors, one for each pool"
        yield Problem("pools", len(profile.pools), reason, "join pools that differ in name only")
    first: dict[frozenset[tuple[str, str]], int] = {}
    for index, pool in enumerate(profile.pools):
        other = first.setdefault(frozenset(selector(profile, pool).items()), index)
        if other != index:
            name = profile.pools[other].name
            reason = f"Kueue cannot tell its nodes from those of pool {name}: both are found by the same labels"
            yield Problem(f"pools[{index}].selector", pool.selector, reason, "give each pool a selector of its own")
