"""What a calculation comes to: figures that show their arithmetic, and settings that cannot be."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from bedplate.wrong import WrongError

WHOLE = 100
"""From here on decimals say nothing."""


@dataclass(frozen=True)
class Figure:
    """One result, as a table's row and as JSON."""

    topic: str
    """The part of the answer it belongs to: memory, batch, time, network, checkpoints …"""
    name: str
    value: float | str
    unit: str
    arithmetic: str
    """The formula with its numbers in place, so that a reader can check it."""
    source: str
    """Where the formula or its constants come from."""

    def as_json(self) -> Mapping[str, object]:
        """The fields that a machine reads."""
        return asdict(self)


class ImpossibleError(WrongError):
    """Settings that cannot be: a line each, with the arithmetic that shows it."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))


def short(value: float) -> str:
    """A number with three figures that matter, thousands set apart: 1,120 · 16.6 · 0.612."""
    return f"{value:,.0f}" if abs(value) >= WHOLE else f"{value:.3g}"
