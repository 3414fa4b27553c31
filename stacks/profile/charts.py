"""What the profile's sections install, as each component declares it beside its section.

A section of a Helm chart stands in its component's file with `CHART` and `helm_values`; one of a project without a
chart with `MANIFESTS`. So there is no table to keep: a section is the way to everything about its chart.
"""

import sys
from collections.abc import Iterator
from typing import Any, Protocol, cast, get_args

from pydantic import BaseModel

from bedplate.components.chart import Chart
from bedplate.components.facts import Args, Facts
from bedplate.components.kustomization import Manifests
from bedplate.components.section import HelmSection, Section
from bedplate.stacks.profile.models import models_below, models_in
from bedplate.stacks.profile.problem import keyed


class Component(Protocol):
    """The file of a component with a chart."""

    @property
    def CHART(self) -> Chart:  # noqa: N802 - the name of a constant there
        """The pin, the known versions, and what it takes."""
        ...

    def helm_values(self, args: Args[Any], /) -> dict[str, Any]:
        """What the section stands for in the chart's vocabulary; an override must not touch it."""
        ...


def component(section: type[HelmSection]) -> Component:
    """The file that the section stands in."""
    return cast("Component", sys.modules[section.__module__])


def chart(section: HelmSection) -> Chart:
    """The chart at the version that will be installed."""
    return component(type(section)).CHART.at(section)


def values(section: HelmSection, facts: Facts) -> dict[str, Any]:
    """What the profile says to the chart, without the section's overrides."""
    return component(type(section)).helm_values(Args(section, facts))


def sections_below(section: Section, above: str = "") -> Iterator[tuple[str, Section]]:
    """Every section of a profile at any depth, with its YAML path."""
    for name, field in type(section).model_fields.items():
        path = f"{above}.{field.alias or name}".lstrip(".")
        value: object = getattr(section, name)
        items = keyed(path, cast("tuple[object, ...]", value)) if isinstance(value, tuple) else ((path, value),)
        for key, item in items:
            if isinstance(item, Section):
                yield key, item
                yield from sections_below(item, key)


def helm_sections(section: Section) -> Iterator[tuple[str, HelmSection]]:
    """Those of a Helm chart."""
    return ((key, below) for key, below in sections_below(section) if isinstance(below, HelmSection))


def secret_keys(profile: Section) -> tuple[str, ...]:
    """Keys to set with `pulumi config set --secret bedplate:<key>`, each once."""
    keys = (name for _, section in sections_below(profile) for name in getattr(section, "secrets", ()))
    return tuple(dict.fromkeys(keys))


def installable(model: type[Section]) -> dict[type[BaseModel], Chart | Manifests]:
    """Every section below `model`, present or not, that brings a chart or a kustomization."""
    return {section: brings for section in models_below(model) if (brings := brought(section))}


def brought(section: type[BaseModel]) -> Chart | Manifests | None:
    """The chart or the kustomization that a section stands for; None of most."""
    name = "CHART" if issubclass(section, HelmSection) else "MANIFESTS"
    brings = vars(sys.modules[section.__module__]).get(name)
    return brings if isinstance(brings, Chart | Manifests) else None


def places(model: type[BaseModel], above: str = "") -> Iterator[tuple[str, Chart | Manifests]]:
    """Where a profile may have each, in its order: `training.jobset`; of one kind of several, `scheduling.kueue`."""
    for name, field in model.model_fields.items():
        choices = tuple(models_in(field.annotation))
        for section in choices:
            kind = section.model_fields.get("kind") if len(choices) > 1 else None
            kinds = get_args(kind.annotation) if kind else ()
            key = ".".join((*filter(None, (above,)), field.alias or name, *kinds[:1]))
            if brings := brought(section):
                yield key, brings
            yield from places(section, key)
