"""The site's own parts (`extensions`) in the order, each where it says."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from typing import Any

from bedplate.components.extension import AnyExtension, SitePart
from bedplate.components.facts import Facts
from bedplate.nearest import meant
from bedplate.stacks.platform.step import Step
from bedplate.stacks.profile.problem import Problem, ProfileError, keyed
from bedplate.stacks.profile.profile import Profile


def woven(platform: Sequence[Step[Any]], profile: Profile) -> Mapping[str, Step[Any]]:
    """Every step by its name, after all that it waits for; raises ProfileError where no order does what is asked."""
    steps = {step.name: step for step in platform}
    if not profile.parts:
        return steps
    if problems := [*_problems(profile, steps)]:
        raise ProfileError(problems)
    steps |= {one.name: _step(one) for one in profile.parts}
    after = {name: [earlier.name for earlier in step.after] for name, step in steps.items()}
    for one in profile.parts:
        after[one.name] += one.after
        for later in one.before:
            after[later].append(one.name)
    _refuse_circles(after, profile)
    placed: dict[str, Step[Any]] = {}

    def place(name: str) -> None:
        if name not in placed:
            for earlier in after[name]:
                place(earlier)
            placed[name] = replace(steps[name], after=tuple(placed[earlier] for earlier in after[name]))

    for name in steps:
        place(name)
    return placed


def _step(one: AnyExtension) -> Step[Any]:
    def section(_: Profile, __: Facts) -> AnyExtension:
        return one

    return Step(one.name, SitePart, section)


def _problems(profile: Profile, steps: Mapping[str, Step[Any]]) -> Iterator[Problem]:
    own = [one.name for one in profile.parts]
    for key, one in keyed("extensions", profile.parts):
        if one.name in steps:
            yield Problem(f"{key}.name", one.name, "a step of Bedplate's has this name", "use another one")
        for side in ("after", "before"):
            for place, name in keyed(f"{key}.{side}", getattr(one, side)):
                if name not in (*steps, *own):
                    fix = meant(name, [*steps, *own]) or "`bedplate plan` shows the names of steps in its order"
                    yield Problem(place, name, "no step and no part of yours", fix)


def _refuse_circles(after: Mapping[str, Sequence[str]], profile: Profile) -> None:
    try:
        TopologicalSorter(after).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1]
        (key, one), *_ = [pair for pair in keyed("extensions", profile.parts) if pair[1].name in circle]
        reason = f"it would wait for itself: {' before '.join(circle)}"
        raise ProfileError([Problem(key, one.name, reason, "take a step out of its `after` or `before`")]) from None
