"""Fields of custom resources, and keys of values, that come and go between two releases.

`fields.json` of a chart has the fields of its own kinds, the shallowest that is whole, and what a schema refuses that
the older one took: compared between the CRDs of both releases by `python -m tests.tools.upgrades`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from bedplate import charts
from bedplate.components.chart_keys import honours, known_versions, live_paths

FILE = "fields.json"


@dataclass(frozen=True)
class Difference:
    """What is there on one side only, sorted."""

    gone: tuple[str, ...] = ()
    come: tuple[str, ...] = ()
    narrower: tuple[str, ...] = ()
    """What the newer schema refuses."""


def fields(chart: str, old: str, new: str) -> Difference | None:
    """Of the chart's own custom resources on the whole way; None where a release on it is not known."""
    steps: list[dict[str, Any]] = charts.measured(chart, FILE) or []
    releases = [step["old"] for step in steps] + [step["new"] for step in steps[-1:]]
    if old not in releases or new not in releases:
        return None
    taken = steps[releases.index(old) : releases.index(new)]
    gone = {field for step in taken for field in step["gone"]}
    come = {field for step in taken for field in step["come"]}
    narrower = {what for step in taken for what in step["narrower"]}
    return Difference(tuple(sorted(gone - come)), tuple(sorted(come - gone)), tuple(sorted(narrower)))


def keys(chart: str, old: str, new: str) -> Difference | None:
    """Of the values that the chart's templates honour; None where one of the releases is not known."""
    if not {old, new} <= set(known_versions(chart)):
        return None
    return Difference(_only(chart, old, new), _only(chart, new, old))


def _only(chart: str, here: str, there: str) -> tuple[str, ...]:
    """What the one's templates honour and the other's do not, however deep each has defaults."""
    paths = (path for path in live_paths(chart, here) if honours(chart, there, path) is False)
    return tuple(sorted({".".join(path) for path in paths}))


def touched(values: Mapping[str, Any], gone: tuple[str, ...]) -> Iterator[str]:
    """Keys that a profile sets and that nothing reads any more."""
    for path in gone:
        place: object = values
        for word in path.split("."):
            place = cast("Mapping[str, object]", place).get(word) if isinstance(place, Mapping) else None
        if place is not None:
            yield path
