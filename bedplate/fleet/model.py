"""`fleet.yaml`: the clusters of a fleet, the waves in which a change reaches them, and what stops it on its way.

What a cluster is stands in its profile; here is only what several clusters need to know of each other.
"""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, Field

from bedplate.components.section import DnsLabel, Section
from bedplate.releases.gates import Doctor, Gate, PoolsReady, Verify

Text = Annotated[str, Field(min_length=1)]
Revision = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]*$")]
"""A branch, a tag or a commit: nothing that git takes for an option."""
Address = Annotated[str, Field(pattern=r"^(https://|ssh://|file://|/|[A-Za-z0-9._-]+@)[^\s]+$")]
"""Of a git repository."""
Count = Annotated[int, Field(ge=1)]
Clock = Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
"""Text: of 17:00 without quotes YAML makes the number 1020."""
Labels: TypeAlias = Mapping[str, str]
Day: TypeAlias = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
WEEK: tuple[Day, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def _zone(value: str) -> str:
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ValueError("no time zone; write one of the tz database, such as Europe/Berlin or UTC") from error
    return value


class Source(Section):
    """Where profiles of the fleet stand, and what is said of all of them."""

    path: Text
    """A profile, a folder of profiles or a glob, from the folder of this file, or of `repository`."""
    repository: Address | None = None
    """Another git repository, at `revision`."""
    revision: Revision | None = None
    """Its branch, tag or commit; a commit is the same for everybody."""
    labels: Labels = Field(default_factory=dict)
    """By which waves pick clusters."""
    kubeconfig: Text | None = None
    """Credentials of each cluster alone: a file, with `{name}` for the cluster's name. Absent: as KUBECONFIG says. Its
    current context must be the one of the profile."""
    environment: Mapping[str, Text] = Field(default_factory=dict)
    """Variables that these clusters' processes get, each with the name of your variable that holds the value; never the
    value itself."""


class Wave(Section):
    """Clusters that a change reaches together, once every wave before is through its gates."""

    name: DnsLabel
    """As messages call it."""
    clusters: tuple[Text, ...] = ()
    """By name, or by a glob over names."""
    labels: Labels = Field(default_factory=dict)
    """Those that have all of these."""
    percent: Annotated[int, Field(ge=1, le=100)] | None = None
    """So many of the whole fleet, rounded up, in the order of `clusters`, of those that no earlier wave has."""
    soak: Annotated[int, Field(ge=0, le=604_800)] = 0
    """Seconds that each cluster runs the change before its gates are looked at."""
    gates: tuple[Gate, ...] | None = None
    """Of this wave, in place of the fleet's."""


class Budgets(Section):
    """How much of the fleet may be in the middle of a change."""

    clusters: Count = 4
    """Clusters at once, each in a process of its own."""
    gpus: Count | None = None
    """GPUs at once: all of a cluster that is in the middle of it count. Absent: any number."""


class Window(Section):
    """When a cluster may be begun; one that is begun is brought to its end."""

    days: Annotated[tuple[Day, ...], Field(min_length=1)] = WEEK
    """Days of the week on which it opens."""
    opens: Clock
    """Such as "09:00"."""
    closes: Clock
    """On the same day; before `opens`: on the next."""
    zone: Annotated[str, AfterValidator(_zone)] = "UTC"
    """Of the tz database."""


class Stop(Section):
    """When a change goes no further."""

    red: Count = 1
    """So many clusters of a wave that fail, at a gate or before it, stop the rest of the wave and all later waves."""


class Fleet(Section):
    """A fleet of GPU clusters."""

    name: DnsLabel
    """As messages and records call it."""
    clusters: Annotated[tuple[Source, ...], Field(min_length=1)]
    """Where the clusters' profiles stand."""
    waves: Annotated[tuple[Wave, ...], Field(min_length=1)]
    """In their order. A wave that says neither `clusters` nor `labels` nor `percent` has the rest."""
    budgets: Budgets = Budgets()
    """How much of the fleet may be in the middle of a change."""
    windows: tuple[Window, ...] = ()
    """When clusters may be begun; absent: at any time."""
    gates: Annotated[tuple[Gate, ...], Field(min_length=1)] = (PoolsReady(), Verify(), Doctor())
    """What every cluster of a wave must pass before the next wave begins, in this order."""
    stop: Stop = Stop()
    """When a change goes no further."""
