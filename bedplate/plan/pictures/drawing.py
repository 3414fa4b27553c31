"""Boxes, lines and words with their places, and the SVG that shows them: light, dark and on paper, without a script."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jinja2

TEMPLATE = Path(__file__).with_name("drawing.svg.jinja")
STRONG, LETTER, ROW, EDGE = 8.2, 7.4, 16, 9
"""Of text in 13 pixels: an average letter of a wide font, strong and plain; of a line; of what a box keeps free."""


@dataclass(frozen=True)
class Box:
    """A frame with lines of text in its middle, the first of them strong."""

    left: float
    top: float
    width: float
    height: float
    lines: tuple[str, ...] = ()
    style: str = "part"


@dataclass(frozen=True)
class Line:
    """Through these points; an arrow where its style says so."""

    points: tuple[tuple[float, float], ...]
    style: str = "edge"

    @property
    def path(self) -> str:
        """As SVG wants it."""
        return " ".join(f"{_short(x)},{_short(y)}" for x, y in self.points)


@dataclass(frozen=True)
class Text:
    """Words that begin here."""

    left: float
    base: float
    text: str
    style: str = "dim"


@dataclass(frozen=True)
class Drawing:
    """All of it."""

    title: str
    width: float
    height: float
    boxes: tuple[Box, ...] = ()
    lines: tuple[Line, ...] = ()
    texts: tuple[Text, ...] = ()


def width(lines: Sequence[str]) -> float:
    """What a box needs for its text."""
    return max(len(text) * (LETTER if place else STRONG) for place, text in enumerate(lines)) + 2 * EDGE


def height(lines: int) -> float:
    """The same downwards."""
    return lines * ROW + EDGE + 2


def svg(drawing: Drawing) -> str:
    """A file of its own that can also stand in a page."""
    return _template().render(drawing=drawing, row=ROW)


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["short"] = _short
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8"))


def _short(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
