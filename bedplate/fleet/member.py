"""A cluster of a fleet: its profile, and what `fleet.yaml` says of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bedplate.fleet.model import Fleet, Source, Wave
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.profile.profile import Profile
from bedplate.stacks.profile.stack_file import StackFiles


@dataclass(frozen=True)
class Member:
    """One cluster."""

    key: str
    """Of its source in `fleet.yaml`: `clusters[0]`."""
    files: StackFiles
    stack: str
    profile: Profile
    source: Source

    @property
    def name(self) -> str:
        """As waves and messages call it: its stack's."""
        return self.stack

    @property
    def labels(self) -> Mapping[str, str]:
        """By which waves pick it."""
        return self.source.labels

    @property
    def place(self) -> Path:
        """Its profile's file."""
        return self.files.place(self.stack)

    @property
    def gpus(self) -> int:
        """All of the cluster."""
        return sum(pool.total_gpus for pool in facts(self.profile).pools)


@dataclass(frozen=True)
class Formation:
    """A fleet, and who is in which wave."""

    fleet: Fleet
    file: Path
    waves: tuple[tuple[Wave, tuple[Member, ...]], ...]

    @property
    def members(self) -> tuple[Member, ...]:
        """In the order of the waves."""
        return tuple(member for _, members in self.waves for member in members)

    def wave_of(self, name: str) -> str:
        """Of a member by its name."""
        return next(wave.name for wave, members in self.waves if name in {each.name for each in members})
