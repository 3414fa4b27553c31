"""Which cluster is in which wave, and what of a fleet cannot be."""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from math import ceil

from bedplate.fleet.member import Member
from bedplate.fleet.model import Fleet, Wave
from bedplate.nearest import meant
from bedplate.stacks.profile.problem import Problem, keyed

Formed = list[tuple[Wave, tuple[Member, ...]]]


def waves(fleet: Fleet, members: Sequence[Member]) -> Formed:
    """Each wave with its clusters; a cluster is in the first wave that picks it."""
    left, formed = list(members), Formed()
    for wave in fleet.waves:
        here = _picked(wave, left, len(members))
        left = [each for each in left if each not in here]
        formed.append((wave, tuple(here)))
    return formed


def _picked(wave: Wave, left: Sequence[Member], total: int) -> list[Member]:
    fitting = [each for each in left if _named(wave, each) and wave.labels.items() <= each.labels.items()]
    return fitting if wave.percent is None else fitting[: ceil(total * wave.percent / 100)]


def _named(wave: Wave, member: Member) -> bool:
    return not wave.clusters or any(fnmatchcase(member.name, name) for name in wave.clusters)


def faults(fleet: Fleet, members: Sequence[Member], formed: Formed) -> Iterator[Problem]:
    """Everything that is wrong with it, by the keys of `fleet.yaml`."""
    yield from _same(members)
    yield from _unpicked(fleet, members, formed)
    for key, (wave, here) in keyed("waves", formed):
        if not here:
            reason = "a wave without clusters: none has it, or earlier waves have them all"
            yield Problem(key, wave.name, reason, "correct what it picks, move it up, or take it out")
    names = [wave.name for wave in fleet.waves]
    for number, name in enumerate(names):
        if name in names[:number]:
            yield Problem(f"waves[{number}].name", name, "another wave has this name", "write another")
    for key, window in keyed("windows", fleet.windows):
        if window.opens == window.closes:
            yield Problem(f"{key}.closes", window.closes, "it closes when it opens", "write a later time")
    if limit := fleet.budgets.gpus:
        for each in members:
            if each.gpus > limit:
                reason = f"{each.name} alone has {each.gpus} GPUs, and could never be begun"
                yield Problem("budgets.gpus", limit, reason, f"write {each.gpus} or more")


def _same(members: Sequence[Member]) -> Iterator[Problem]:
    """Two that would be one and the same: the later would take the earlier's place."""
    for number, each in enumerate(members):
        for other in members[:number]:
            if each.name == other.name:
                reason = f"{each.place} and {other.place} are stacks of one name"
                yield Problem(f"{each.key}.path", each.name, reason, "rename one's file: records are kept by that name")
            elif each.profile.context == other.profile.context:
                reason = f"{each.name} and {other.name} name the same context, {each.profile.context}"
                fix = "correct `context` of one, or take it out of the fleet"
                yield Problem(f"{each.key}.path", each.source.path, reason, fix)


def _unpicked(fleet: Fleet, members: Sequence[Member], formed: Formed) -> Iterator[Problem]:
    picked = {each.name for _, here in formed for each in here}
    if lost := [each.name for each in members if each.name not in picked]:
        fix = "add a last wave that says neither clusters nor labels nor percent: it has the rest"
        yield Problem("waves", ", ".join(lost), "in no wave", fix)
    names = [each.name for each in members]
    for key, wave in keyed("waves", fleet.waves):
        for number, name in enumerate(wave.clusters):
            if not any(fnmatchcase(each, name) for each in names):
                fix = meant(name, names) or f"clusters are {', '.join(names)}"
                yield Problem(f"{key}.clusters[{number}]", name, "no cluster of the fleet has this name", fix)
