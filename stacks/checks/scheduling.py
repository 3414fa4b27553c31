"""Rules about the scheduler: teams to serve, pools that it can tell apart, and levels that exist."""

from collections.abc import Iterator
from itertools import chain

from bedplate.components.facts.queues import HOSTNAME, NETWORK
from bedplate.components.platforms import PLATFORMS
from bedplate.components.scheduling.topology import SchedulerSection
from bedplate.stacks.facts.pools import selector
from bedplate.stacks.profile.problem import Problem, problem
from bedplate.stacks.profile.profile import Profile

MOST_FLAVORS = 64
"""Of the v1beta2 ClusterQueue's schema."""


def check_scheduling(profile: Profile) -> Iterator[Problem]:
    """Every fault of the scheduling section; queues belong to teams."""
    section = profile.scheduling
    if section is None:
        return
    if not profile.teams:
        yield problem("scheduling.no-team")
    yield from chain(_levels(profile, section), _domains(profile, section))
    if section.kind == "kueue":
        yield from _flavors(profile)


def _levels(profile: Profile, section: SchedulerSection) -> Iterator[Problem]:
    """Each once, the node last, and what jobs are held to is one of them."""
    key, topology = "scheduling.topology", section.topology
    levels = PLATFORMS[profile.platform].levels if topology.levels is None else topology.levels
    if len(set(levels)) != len(levels):
        yield problem("scheduling.level-twice", list(levels), key)
    if HOSTNAME in levels[:-1]:
        yield problem("scheduling.hostname-inside", list(levels), key, hostname=HOSTNAME)
    for name, level in (("required", topology.required), ("preferred", topology.preferred)):
        if level and level not in (*levels, HOSTNAME):
            choices = ", ".join(levels) or "none, as this platform has no labels of its own"
            yield problem("scheduling.not-a-level", level, key, name=name, known=choices)
    if topology.required and topology.preferred:
        yield problem("scheduling.required-and-preferred", topology.preferred, key)


def _domains(profile: Profile, section: SchedulerSection) -> Iterator[Problem]:
    """Only Volcano is told of domains, and only those of a label."""
    key, topology = "scheduling.topology.domains", section.topology
    if not topology.domains:
        return
    kind = profile.scheduling.kind if profile.scheduling else None
    if kind != "volcano":
        yield problem("scheduling.domains-unread", list(topology.domains), key, kind=kind)
    if not topology.levels:
        yield problem("scheduling.domains-without-level", list(topology.domains), key)
    if len(set(topology.domains)) != len(topology.domains) or NETWORK in topology.domains:
        yield problem("scheduling.domain-twice", list(topology.domains), key, network=NETWORK)


def _flavors(profile: Profile) -> Iterator[Problem]:
    """Kueue knows pools by their labels: two with the same would each count the other's nodes."""
    if len(profile.pools) > MOST_FLAVORS:
        yield problem("scheduling.too-many-flavors", len(profile.pools), most_flavors=MOST_FLAVORS)
    first: dict[frozenset[tuple[str, str]], int] = {}
    for index, pool in enumerate(profile.pools):
        other = first.setdefault(frozenset(selector(profile, pool).items()), index)
        if other != index:
            name = profile.pools[other].name
            yield problem("scheduling.flavors-alike", pool.selector, index=index, name=name)
