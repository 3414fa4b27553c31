"""A machine beside the pool that it is of, and a difference between both in one line."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from bedplate.console import for_people
from bedplate.inspect.node import Node
from bedplate.stacks.hardware.shapes import Shape
from bedplate.stacks.profile.fabrics import Infiniband, RailFabric, Roce
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.profile import Profile

HOST = "/host"
"""The key of what no key of the profile says: docs/hosts.md does."""


@dataclass(frozen=True)
class Comparison:
    """Of one machine to one pool of a profile."""

    profile: Profile
    pool: Pool
    shape: Shape
    node: Node

    @property
    def fabric(self) -> RailFabric | None:
        """Where the pool has rails of NVIDIA's NICs."""
        rails = self.shape.gpus and self.shape.nics and self.pool.rails != ()
        return self.profile.fabric if rails and isinstance(self.profile.fabric, Infiniband | Roce) else None

    def __call__(self, key: str, profile: object, machine: object, effect: str, fix: str) -> str:
        """What is otherwise, what that does, and what helps; a key of the pool, or where it begins with `/` another."""
        place = key[1:] if key.startswith("/") else f"pools[{self.profile.pools.index(self.pool)}].{key}"
        return f"{self.node.name}: {place}: profile {words(profile)}, machine {words(machine)}: {effect}; {fix}"


def words(value: object) -> str:
    """A value as a reader takes it."""
    if isinstance(value, list | set | frozenset):
        every = cast("list[object] | set[Any]", value)
        return " ".join(map(str, every if isinstance(every, list) else sorted(every))) or "none"
    return "none" if value in ("", None) else str(value)


def show(every: Sequence[str], summary: str) -> None:
    """A paragraph each, those of one machine after another, then the sum."""
    console = for_people()
    for line in every:
        console.paragraph(line)
    console.paragraph(summary, "bold", rest="")
