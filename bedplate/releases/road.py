"""The road from a profile's version set to another: one stage a chart or an image, in the order of the deployment.

Every stage is a profile: the one that is deployed there, judged by every rule before the first stage is begun. A road
that was left in the middle is gone on with, or gone back, by the same words: the profile says where it stands.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bedplate.charts import sets
from bedplate.components.section import Section
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load, load_stack
from bedplate.stacks.platform.deploy import PLATFORM
from bedplate.stacks.profile.charts import sections_below
from bedplate.stacks.profile.profile import Profile
from bedplate.stacks.profile.stack_file import StackFileError, StackFiles
from bedplate.stacks.profile.version_set import installed
from bedplate.upgrades.records import Verdict
from bedplate.upgrades.upgrade import Upgrade, upgrade

Document = Mapping[str, Any]


@dataclass(frozen=True)
class Stage:
    """One chart or image, from a release to another."""

    name: str
    old: str
    new: str
    place: "Place"
    """Where the profile stands after it."""
    way: Upgrade | None
    """What is known of a chart's way from the older to the newer release; None of an image."""
    back: bool = False

    @property
    def verdict(self) -> Verdict:
        """Of an image: the pods that run it begin anew, which the review of the change says in full."""
        if self.way is None:
            return Verdict.MANUAL
        return self.way.back if self.back else self.way.verdict


@dataclass(frozen=True)
class Place:
    """What a profile says of its set."""

    here: str
    to: str = ""
    """The set that it is on the way to; empty: none."""
    moved: tuple[str, ...] = ()

    @property
    def keys(self) -> Document:
        """As the profile has it."""
        way = {"upgrade": {"to": self.to, "moved": list(self.moved)}} if self.to else {}
        return {"set": self.here, **way}


@dataclass(frozen=True)
class Road:
    """From where a profile stands to a set."""

    start: Place
    end: Place
    stages: tuple[Stage, ...]
    first: Literal["look", "deploy", "go"]
    """What comes before its stages: a look, on a road that is begun; what is deployed once more and a look, on one that
    was left; nothing, where the last stage is taken back, which may be broken."""
    held: tuple[str, ...]
    """Charts and images that the profile itself holds at a version, and that another set would move."""

    @property
    def other(self) -> str:
        """The set at its other end."""
        return self.start.to if self.end.here == self.start.here else self.start.here

    @property
    def verdict(self) -> Verdict:
        """The worst of it."""
        return max((stage.verdict for stage in self.stages), default=Verdict.SAFE)


def road(files: StackFiles, stack: str, to: str) -> Road:
    """The road; raises StackFileError where there is none, ProfileError where a stage breaks a rule."""
    profile, document = load_stack(stack, files), files.profile(stack)
    here, way = profile.version_set or sets.newest(), profile.upgrade
    start = Place(here, way.to, way.moved) if way else Place(here)
    if to not in sets.known():
        raise StackFileError(f"--to {to}: no version set of this Bedplate; use one of {', '.join(sets.known())}")
    if way and to not in (here, way.to):
        raise StackFileError(f"--to {to}: {stack} is on the way from {here} to {way.to}; go to one of these first")
    if not way and to == here:
        known = "" if profile.version_set else f'; if an older one is deployed, write it first, as in `set: "{to}"`'
        raise StackFileError(f"--to {to}: {stack} has that set{known}")
    other = way.to if way else to
    old, new = (versions(_at(files, stack, document, Place(each))) for each in (here, other))
    differ = {name: (old[name], new[name]) for name in old if old[name] != new[name]}
    back = bool(way) and to == here
    first = "look" if way is None else "go" if back and start.moved else "deploy"
    stages = _back(start, differ) if back else _forth(start, other, differ)
    for stage in stages:
        _at(files, stack, document, stage.place)
    pins = sets.pins(here), sets.pins(other)
    held = [name for name in old if name not in differ and len({one[name] for one in pins if name in one}) > 1]
    return Road(start, Place(to), tuple(stages), first, tuple(held))


def _forth(start: Place, to: str, differ: Mapping[str, tuple[str, str]]) -> list[Stage]:
    """What is left of the way to the other set."""
    names = [name for name in differ if name not in start.moved]
    down = to < start.here
    places = [Place(start.here, to, (*start.moved, *names[: number + 1])) for number in range(len(names))]
    return [_stage(name, differ[name], place, down=down) for name, place in zip(names, places, strict=True)]


def _back(start: Place, differ: Mapping[str, tuple[str, str]]) -> list[Stage]:
    """What went ahead comes back, the last first."""
    down = start.to > start.here
    names = [(number, name) for number, name in enumerate(start.moved) if name in differ][::-1]
    places = (Place(start.here, start.to, start.moved[:number]) for number, _ in names)
    pairs = zip(names, places, strict=True)
    return [_stage(name, (differ[name][1], differ[name][0]), place, down=down) for (_, name), place in pairs]


def _stage(name: str, releases: tuple[str, str], place: Place, *, down: bool) -> Stage:
    old, new = releases
    if name in sets.read(place.here)["images"]:
        return Stage(name, old, new, place, None, down)
    return Stage(name, old, new, place, upgrade(name, new, old) if down else upgrade(name, old, new), down)


def _at(files: StackFiles, stack: str, document: Document, place: Place) -> Profile:
    bare = {key: value for key, value in document.items() if key not in ("set", "upgrade")}
    return load({**bare, **place.keys}, files.file(stack), files.place(stack))


def versions(profile: Profile) -> dict[str, str]:
    """Of every chart and image of a set that the profile has, in the order in which they are deployed."""
    return installed(_sections(profile))


def _sections(profile: Profile) -> Iterator[Section]:
    known = facts(profile)
    for step in PLATFORM:
        section = step.section(profile, known)
        if isinstance(section, Section):
            yield from (section, *(below for _, below in sections_below(section)))
    yield from (below for _, below in sections_below(profile))
