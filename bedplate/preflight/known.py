"""What a cloud answered, typed once, so that none of the checks digs in an answer of its own."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar, cast

from bedplate.components.facts import Facts
from bedplate.preflight.ask import Answer

Item = Mapping[str, Any]
Section = TypeVar("Section")


@dataclass(frozen=True)
class Known(Generic[Section]):
    """A cloud at one moment, and what is wanted of it."""

    section: Section
    facts: Facts
    answers: Mapping[str, Answer]
    now: datetime

    def knows(self, *names: str) -> bool:
        """Every one of these questions was answered."""
        return all(name in self.answers and not self.answers[name].failure for name in names)

    def one(self, name: str) -> Item:
        """An answer that is an object."""
        return cast("Item", self.answers[name].data or {})
