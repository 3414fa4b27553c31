"""What was answered, as the checks read it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from components.cloud.gcp.section import GcpCloud
from components.facts import Facts, NodePool
from preflight.ask import Answer

Item = Mapping[str, Any]


@dataclass(frozen=True)
class Project:
    """A project of Google Cloud at one moment, and what is wanted of it."""

    section: GcpCloud
    facts: Facts
    answers: Mapping[str, Answer]
    now: datetime

    def knows(self, *names: str) -> bool:
        """Every one of these questions was answered."""
        return all(name in self.answers and not self.answers[name].failure for name in names)

    def one(self, name: str) -> Item:
        """An answer that is an object."""
        return cast("Item", self.answers[name].data or {})

    def several(self, name: str) -> list[Item]:
        """An answer that is a list."""
        return list(self.answers[name].data or [])

    def has(self, pool: NodePool) -> bool:
        """The cluster has the node pool already, so that its nodes are counted as used."""
        made: list[Item] = self.one("cluster").get("nodePools", []) if self.knows("cluster") else []
        return any(one["name"] == pool.name for one in made)


def last(path: object) -> str:
    """The name at the end of a resource's address."""
    return str(path or "").rpartition("/")[2]
