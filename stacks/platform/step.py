"""One step of the order that a cluster is built in."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import pulumi

from bedplate.components.facts import Args, Facts
from bedplate.components.section import Section
from bedplate.stacks.profile.profile import Profile

S = TypeVar("S", bound=Section)


@dataclass(frozen=True, eq=False)
class Step(Generic[S]):
    """One component, the profile section that asks for it, and the steps it waits for.

    Typed by its section, so that a component built from another's is an error of types.
    """

    name: str
    build: Callable[[str, Args[S], pulumi.ResourceOptions], pulumi.Resource]
    section: Callable[[Profile, Facts], S | None]
    after: "tuple[Step[Any], ...]" = ()
    formerly: tuple[pulumi.Alias, ...] = ()
    """What the component was called in an earlier release, so that the engine renames it instead of making it anew."""

    def ancestors(self) -> "Iterator[Step[Any]]":
        """Every step this one waits for, directly or not."""
        for step in self.after:
            yield step
            yield from step.ancestors()
