"""The version set of a profile: what its sections install where they do not say so themselves.

On the road from one set to another the profile names both, and what has gone ahead; so whatever reads the profile, at
any moment, sees what is deployed (`bedplate upgrade ENV --to SET` writes it there).
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, TypeVar, cast

from pydantic import AfterValidator, BeforeValidator, model_validator

from bedplate.charts import sets
from bedplate.components.section import HelmSection, Section
from bedplate.stacks.profile.charts import chart, component

S = TypeVar("S", bound=Section)


def _text(value: object) -> object:
    """YAML reads `2026.10` as a number; the month has two digits, so nothing is lost."""
    return f"{value:.2f}" if isinstance(value, float) else value


def _known(name: str) -> str:
    if name not in sets.known():
        raise ValueError(f"no version set of this Bedplate; use one of {', '.join(sets.known())}")
    return name


SetName = Annotated[str, BeforeValidator(_text), AfterValidator(_known)]
"""A version set, such as `2026.11` (docs/releases.md)."""


class OnTheWay(Section):
    """Where an upgrade stands. `bedplate upgrade ENV --to SET` writes it, and takes it away when it has arrived."""

    to: SetName
    """The set that it leads to."""
    moved: tuple[str, ...] = ()
    """Charts and images that have the version of that set already, in their order."""

    @model_validator(mode="after")
    def _of_the_set(self) -> "OnTheWay":
        if strange := [chart for chart in self.moved if chart not in sets.pins(self.to)]:
            raise ValueError(f"{strange[0]} is nothing of version set {self.to}; `bedplate upgrade` writes this key")
        return self


def pinned(profile: S, name: str | None, way: OnTheWay | None) -> S:
    """The profile with the versions of its set wherever it states none."""
    pins = versions(name, way)
    return _at(profile, pins) if pins != sets.pins(sets.newest()) else profile


def versions(name: str | None, way: OnTheWay | None) -> Mapping[str, str]:
    """What each chart and image has, by the set and by what went ahead of it."""
    here = dict(sets.pins(name or sets.newest()))
    return here | {chart: new for chart, new in sets.pins(way.to).items() if chart in way.moved} if way else here


def _at(section: S, pins: Mapping[str, str]) -> S:
    update: dict[str, Any] = {}
    for name in type(section).model_fields:
        old: object = getattr(section, name)
        if isinstance(old, Section):
            new: object = _at(old, pins)
        elif isinstance(old, tuple):
            new = _each(cast("tuple[object, ...]", old), pins)
        else:
            new = _version(section, name, old, pins)
        if new is not old:
            update[name] = new
    return section.model_copy(update=update) if update else section


def _each(items: tuple[object, ...], pins: Mapping[str, str]) -> tuple[object, ...]:
    fresh = tuple(_at(item, pins) if isinstance(item, Section) else item for item in items)
    return fresh if any(item is not other for item, other in zip(fresh, items, strict=True)) else items


def _version(section: Section, name: str, old: object, pins: Mapping[str, str]) -> object:
    """Of a chart without a version, and of an image that is ours."""
    if name == "version" and isinstance(section, HelmSection):
        ours = component(type(section)).CHART
        differs = old is None and pins.get(ours.name, ours.version) != ours.version
        return pins[ours.name] if differs else old
    if isinstance(old, str) and name not in section.model_fields_set:
        repository, _, tag = old.rpartition(":")
        return old if pins.get(repository, tag) == tag else f"{repository}:{pins[repository]}"
    return old


def installed(sections: Iterator[Section]) -> dict[str, str]:
    """Versions of charts and tags of images that belong to a set, in the order of the sections."""
    installed_versions: dict[str, str] = {}
    pins = sets.pins(sets.newest())
    for section in sections:
        if isinstance(section, HelmSection):
            installed_versions.setdefault(chart(section).name, chart(section).version)
        for name in type(section).model_fields:
            value: object = getattr(section, name)
            repository, _, tag = value.rpartition(":") if isinstance(value, str) else ("", "", "")
            if repository in pins:
                installed_versions.setdefault(repository, tag)
    return installed_versions
