"""Gates: what a cluster must pass before a change goes on, to its next stage or to the next cluster.

A gate is a command of Bedplate that looks at the cluster, and a judge of what it says. The road between version sets
and fleets go by the same ones.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self, TypeAlias, cast

from pydantic import Field, model_validator

from bedplate.components.section import Section

Words: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    status: int
    output: str = ""


Run: TypeAlias = Callable[[Sequence[str]], Ran]
"""A command of Bedplate by its words."""


@dataclass(frozen=True)
class Look:
    """What a gate saw of a cluster."""

    gate: str
    green: bool
    number: float | None = None
    """By which it was judged; None: there is none, as the look itself failed."""
    says: str = ""


class PoolsReady(Section):
    """Every node that the pools require has what its profile says: GPUs, devices of the fabric, labels."""

    kind: Literal["pools-ready"] = "pools-ready"

    @property
    def name(self) -> str:
        """As messages call it."""
        return self.kind

    def words(self, stack: str) -> Words:
        """The command that looks."""
        return "pools-ready", stack

    def judge(self, after: Ran, _before: Ran | None) -> Look:
        """By the nodes' faults; the number is how many there are."""
        return Look(self.name, after.status == 0, len(after.output.splitlines()), after.output.strip())


class Verify(Section):
    """`bedplate verify` passes; what it does not know is not passed."""

    kind: Literal["verify"] = "verify"
    level: Literal["quick", "full"] = "quick"

    @property
    def name(self) -> str:
        """As messages call it."""
        return f"verify {self.level}"

    def words(self, stack: str) -> Words:
        """The command that looks."""
        return "verify", stack, "--level", self.level

    def judge(self, after: Ran, _before: Ran | None) -> Look:
        """By the exit status; the number is how many cases are not passed."""
        cases = _listed(after.output, "cases")
        bad = [each for each in cases if each["status"] != "passed"]
        says = "; ".join(f"{each['check']} {each['subject']}: {each['text'] or each['status']}" for each in bad)
        return Look(self.name, after.status == 0, len(bad) if cases else None, says or after.output.strip()[-200:])


class Doctor(Section):
    """`bedplate doctor` has no finding that it had not before the change."""

    kind: Literal["doctor"] = "doctor"

    @property
    def name(self) -> str:
        """As messages call it."""
        return self.kind

    def words(self, stack: str) -> Words:
        """The command that looks."""
        return "doctor", stack

    def judge(self, after: Ran, before: Ran | None) -> Look:
        """By the findings; the number is how many are new. One that cannot tell (exit status 2) is red."""
        had = [_what(each) for each in _listed(before.output if before else "", "findings")]
        new = [each for each in _listed(after.output, "findings") if _what(each) not in had]
        says = "; ".join(f"{each['where']}: {each['what']}" for each in new)
        if after.status not in (0, 1):
            return Look(self.name, green=False, says=says or "the cluster cannot be looked at")
        return Look(self.name, not new, len(new), says)


class Query(Section):
    """A PromQL query whose answer stays within a bound: job failures, queue wait, errors and latency of servers."""

    kind: Literal["query"]
    title: str = Field(min_length=1)
    """What is asked, in two or three words: it names the gate."""
    promql: str = Field(min_length=1)
    """Its answer is one number, or none, which is 0 (`sum(…)` of no series)."""
    at_most: float | None = None
    """The largest answer that passes."""
    times_before: Annotated[float, Field(gt=0)] | None = None
    """The largest answer that passes, as a multiple of the answer before the change."""

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if self.at_most is None and self.times_before is None:
            raise ValueError("nothing says which answer passes; write atMost, timesBefore or both")
        return self

    @property
    def name(self) -> str:
        """As messages call it."""
        return self.title

    def words(self, stack: str) -> Words:
        """The command that looks."""
        return "query", stack, self.promql

    def judge(self, after: Ran, before: Ran | None) -> Look:
        """By the number; an answer that cannot be had is red."""
        bound = self._bound(before)
        if after.status or bound is None:
            return Look(self.name, green=False, says=after.output.strip() or "no answer from before the change")
        number = float(after.output)
        return Look(self.name, number <= bound, number, f"{number:g}, and at most {bound:g} passes")

    def _bound(self, before: Ran | None) -> float | None:
        """The stricter of the two; None where what it is held against could not be had."""
        bounds = [] if self.at_most is None else [self.at_most]
        if self.times_before is not None:
            if before is None or before.status:
                return None
            bounds.append(float(before.output) * self.times_before)
        return min(bounds)


Gate: TypeAlias = Annotated[PoolsReady | Verify | Doctor | Query, Field(discriminator="kind")]
"""One of them, by its `kind`."""


def _what(finding: Mapping[str, Any]) -> tuple[Any, ...]:
    return finding["check"], finding["where"], finding["what"]


def _listed(output: str, key: str) -> list[Mapping[str, Any]]:
    """What a command lists in its JSON; nothing where it printed none."""
    try:
        document: object = json.loads(output)
    except ValueError:
        return []
    items: object = cast("Mapping[str, object]", document).get(key) if isinstance(document, dict) else None
    return cast("list[Mapping[str, Any]]", items) if isinstance(items, list) else []
