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
    steps |= {part.name: _step(part) for part in profile.parts}
    after = {name: [earlier.name for earlier in step.after] for name, step in steps.items()}
    for part in profile.parts:
        after[part.name] += part.after
        for later in part.before:
            after[later].append(part.name)
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


def _step(part: AnyExtension) -> Step[Any]:
    def section(_: Profile, __: Facts) -> AnyExtension:
        return part

    return Step(part.name, SitePart, section)


def _problems(profile: Profile, steps: Mapping[str, Step[Any]]) -> Iterator[Problem]:
    own = [part.name for part in profile.parts]
    for key, part in keyed("extensions", profile.parts):
        if part.name in steps:
            yield Problem(f"{key}.name", part.name, "a step of Bedplate's has this name", "use another one")
        for side in ("after", "before"):
            for place, name in keyed(f"{key}.{side}", getattr(part, side)):
                if name not in (*steps, *own):
                    fix = meant(name, [*steps, *own]) or "`bedplate plan` shows the names of steps in its order"
                    yield Problem(place, name, "no step and no part of yours", fix)


def _refuse_circles(after: Mapping[str, Sequence[str]], profile: Profile) -> None:
    try:
        TopologicalSorter(after).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1]
        (key, part), *_ = [pair for pair in keyed("extensions", profile.parts) if pair[1].name in circle]
        reason = f"it would wait for itself: {' before '.join(circle)}"
        raise ProfileError([Problem(key, part.name, reason, "take a step out of its `after` or `before`")]) from None
