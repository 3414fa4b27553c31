"""rich's console with its colours, and nothing else of what text from outside would do to a terminal.

Every show function takes it from here: no `[link]` or `:emoji:` in a name is obeyed either.
"""

import sys
from collections.abc import Iterable
from textwrap import fill
from typing import IO, TextIO, cast

import rich.console
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from bedplate.naming import with_commands
from bedplate.printable import Printable, printable

WIDTH = 80


class Console(rich.console.Console):
    """Writes text that is printable, and steers the cursor itself."""

    def __init__(
        self, *, file: TextIO | None = None, stderr: bool = False, width: int | None = None, soft_wrap: bool = False
    ) -> None:
        super().__init__(
            file=file, stderr=stderr, width=width, soft_wrap=soft_wrap, highlight=False, markup=False, emoji=False
        )

    @property
    def file(self) -> IO[str]:
        """The stream itself: what is printable has been seen to, and colours must pass."""
        stream: object = super().file
        while isinstance(stream, Printable):
            stream = stream.beneath
        return cast("IO[str]", stream)

    @file.setter
    def file(self, new_file: IO[str]) -> None:
        self._file = new_file

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """As rich does, with each piece of text printable."""
        for piece in super().render(renderable, options):
            yield piece if piece.control else Segment(printable(piece.text), piece.style)

    def paragraph(self, text: str, style: str = "", *, bold: int = 0, first: str = "", rest: str = "  ") -> None:
        """Text folded between words, with its indents and its first characters in bold."""
        lines = fill(
            with_commands(text), self.width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
        )
        folded = Text(lines, style)
        folded.stylize("bold", 0, bold)
        self.print(folded)


def for_people(out: TextIO | None = None) -> Console:
    """As wide as the terminal, or 80 columns."""
    return Console(file=out, width=None if (out or sys.stdout).isatty() else WIDTH)
