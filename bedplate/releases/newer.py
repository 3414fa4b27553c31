"""What is newer than a version set: pure, from what is published.

Only releases spelt like the pin count: `26.07-py3` after `25.06-py3`, and neither `v26.7.2-rc.1` nor `26.07-py3-igpu`.
"""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from bedplate.components.version import numbers

LINE = 2
"""A release is major, minor and patch; what has fewer numbers has no patches."""


@dataclass(frozen=True)
class Look:
    """One chart or image, as it was looked up."""

    name: str
    now: str
    to: str
    """What the new set has: the newest of its line, or of all lines where that was asked for."""
    newest: str
    """Of all lines."""
    digest: str = ""
    """Of a chart's archive at `to`; empty: it could not be had."""
    problem: str = ""
    """Why it was not looked up, or came otherwise than it should: its pin stays."""
    where: str = ""
    """Where Renovate or a person looks for what has no registry of its own."""

    @property
    def moves(self) -> bool:
        """Whether the new set has another release than the old one."""
        return self.to != self.now

    def as_json(self) -> dict[str, str]:
        """What a machine reads."""
        return asdict(self)


def stays(name: str, now: str, *, problem: str = "", where: str = "") -> Look:
    """A pin that nothing is known to follow."""
    return Look(name, now, now, now, problem=problem, where=where)


def newer(name: str, now: str, published: Iterable[str], *, of_all: bool) -> Look:
    """The newest of the line and of all lines; the pin itself where nothing is newer."""
    alike = re.compile(re.sub(r"\d+", r"\\d+", re.escape(now)))
    later = sorted((one for one in published if alike.fullmatch(one) and numbers(one) > numbers(now)), key=numbers)
    line = [one for one in later if len(numbers(one)) > LINE and numbers(one)[:LINE] == numbers(now)[:LINE]]
    newest = later[-1] if later else now
    return Look(name, now, newest if of_all else line[-1] if line else now, newest)
