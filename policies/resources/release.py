"""A Helm release as the rules see it: only its values, never what the chart renders."""

import re
from dataclasses import dataclass
from functools import cached_property

from bedplate.components.chart_keys import chart_name
from bedplate.policies.resources.model import CHART, RELEASE, Resource
from bedplate.policies.values import UNKNOWN, Tree, dig, is_on, text, tree, version

EXACT = re.compile(r"v?\d+\.\d+[^*xX|, ]*")
TYPES = {RELEASE, CHART}


@dataclass(frozen=True)
class Release:
    """A chart, its version and its values."""

    resource: Resource

    @cached_property
    def chart(self) -> str:
        """The chart's own name, whatever repository or mirror it comes from."""
        return chart_name(text(self.resource.at("chart")))

    @cached_property
    def version(self) -> str:
        """The pinned version, empty where there is none or it is not known."""
        return text(self.resource.at("version"))

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The version for comparing, () where it is not known, or a range."""
        return version(self.version) if EXACT.fullmatch(self.version) else ()

    @cached_property
    def namespace(self) -> str:
        """Where it is installed."""
        return text(self.resource.at("namespace"))

    @cached_property
    def values(self) -> Tree:
        """The values as far as they are known."""
        return tree(self.resource.at("values"))

    def value(self, *path: str, default: object = None) -> object:
        """A value, the chart's default where none is given, UNKNOWN where it cannot be told."""
        if self.resource.at("values") is UNKNOWN or self.resource.at("valueYamlFiles"):
            return UNKNOWN
        found = dig(self.values, *path)
        return default if found is None else found

    def switch(self, *path: str, default: bool) -> bool | None:
        """A switch in the values, None where it is not known."""
        return is_on(self.value(*path, default=default), default=default)


def release_of(resource: Resource) -> Release | None:
    """The release that a resource is, if it is one."""
    return Release(resource) if resource.type in TYPES else None
