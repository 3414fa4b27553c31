"""Which images each supported chart version pulls, and by which of its values.

What a chart pulls shows only when it is rendered, and an offline plan renders none. So `images.json` of each release
in `bedplate/charts/` keeps each image as the template writes it: `{image.repository}:{image.tag|=v1.2.3}` with the
defaults of the values named, so that an override moves the image as it would on the cluster. They hold what pods are
started with, what an operator is told in its environment or arguments, and what it starts by itself (`python -m
tests.tools.make_chart_images` makes them). What has no chart has its images as they are.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, cast

from bedplate import charts

FILE = "images.json"
PLACE = re.compile(r"\{([^}]+)\}")
EMPTY_ENDS = re.compile(r"@(?:sha256:)?$")


class Pulled(NamedTuple):
    """An image of a release."""

    image: str
    """As a node asks for it, unless `system`."""
    system: bool = False
    """The operator ends its tag with the nodes' system."""


class Row(NamedTuple):
    """An image of a release as its list has it."""

    row: Mapping[str, Any]
    image: str
    filled: Callable[[str], str]
    """What a place of it comes to."""


def pulled(chart: str, version: str, values: Mapping[str, Any]) -> tuple[Pulled, ...] | None:
    """What a release of this version with these values pulls; None where nobody has looked."""
    known = charts.measured(chart, FILE, version)
    return None if known is None else tuple(_pulled(known, values))


def read_by(chart: str, version: str) -> frozenset[str]:
    """The values that the list of a release reads."""
    rows = (charts.measured(chart, FILE, version) or {"images": ()})["images"]
    return frozenset(
        choice
        for row in rows
        for place in PLACE.findall(row["image"])
        for choice in choices(place)
        if not _literal(choice)
    )


def default(chart: str, version: str, path: str) -> str:
    """What a release has at a value's path, where its images need it; empty: nobody has read it."""
    known: Mapping[str, Any] = charts.measured(chart, FILE, version) or {"defaults": {}}
    return str(known["defaults"].get(path, ""))


def choices(place: str) -> list[str]:
    """What a place in a template takes, the first that is not empty."""
    return place.split("|")


def spelt(chart: str, version: str) -> str:
    """The release as its list spells it: charts of one project have versions with and without `v`."""
    releases = charts.releases(chart, FILE)
    return next((release for release in releases if release.removeprefix("v") == version.removeprefix("v")), version)


def rows(chart: str, version: str, values: Mapping[str, Any]) -> Iterator[Row]:
    """Every image that is pulled with these values, as its row says it and as it is named."""
    known = charts.measured(chart, FILE, version)
    return _rows(known, values) if known else iter(())


def _pulled(known: Mapping[str, Any], values: Mapping[str, Any]) -> Iterator[Pulled]:
    yield from (Pulled(image, bool(row.get("system"))) for row, image, _ in _rows(known, values))


def _rows(known: Mapping[str, Any], values: Mapping[str, Any]) -> Iterator[Row]:
    def value(path: str) -> object:
        stated = _at(values, path)
        return known["defaults"].get(path) if stated is None else stated

    def filled(place: str) -> str:
        return next((str(one) for path in choices(place) if (one := _literal(path) or value(path))), "")

    for row in known["images"]:
        if all(value(path) for path in row.get("when", ())):
            text = EMPTY_ENDS.sub("", PLACE.sub(lambda match: filled(match[1]), row["image"])).lstrip("/")
            if text.partition(":")[0].strip("/"):
                yield Row(row, text.replace(":sha256:", "@sha256:"), filled)


def _literal(choice: str) -> str:
    return choice[1:] if choice.startswith("=") else ""


def _at(values: Mapping[str, Any], path: str) -> object:
    """A value of the release; keys of our charts hold no dots."""
    here: object = values
    for key in path.split("."):
        if not isinstance(here, Mapping):
            return None
        here = cast("Mapping[str, object]", here).get(key)
    return here
