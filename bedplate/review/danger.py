"""What can happen to a running cluster, from harmless to final."""

from dataclasses import dataclass
from enum import IntEnum


class Danger(IntEnum):
    """In the order in which a reviewer wants to see them."""

    NOTHING = 0
    """What runs goes on; only what comes later sees the change."""
    ROLLS_PODS = 1
    """Pods of this stack start anew: operators, servers, exporters; no job of a team."""
    UNKNOWN = 2
    """No rule knows it: look at it yourself. Never taken for harmless."""
    REFUSED = 3
    """The API server does not take it: the deployment stops there, with half of it done."""
    EVICTS_JOBS = 4
    """Jobs of teams are stopped."""
    RELOADS_DRIVERS_OR_NETWORK = 5
    """Drivers or the network of nodes go away for a while, and what uses them with it."""
    REPLACES_NODES = 6
    LOSES_QUOTA = 7
    """A team may use less than before."""
    LOSES_DATA = 8

    @property
    def label(self) -> str:
        """As people read it."""
        return self.name.lower().replace("_", " ")


BY_LABEL = {danger.label.replace(" ", "-"): danger for danger in Danger}
"""As the command line takes them."""


@dataclass(frozen=True)
class Judgement:
    """What a change does, why, and who says so."""

    danger: Danger
    reason: str
    source: str
