"""Complaints on a terminal, wrapped at its width: a line stays one where a program or a file reads it."""

import contextlib
import shutil
import sys
import textwrap
from collections.abc import Generator
from typing import TextIO

WIDTH = 80
INDENT = "  "


class Wrapped:
    """Standard error with long lines wrapped; all else is the stream's own."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """As a stream does. What steers the cursor, such as a spinner, passes as it is."""
        plain = "\x1b" not in text and "\r" not in text
        self._stream.write("".join(map(_fold, text.splitlines(keepends=True))) if plain else text)
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        """Each of them."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> object:
        """Whatever else a stream can do."""
        return getattr(self._stream, name)


def _fold(line: str) -> str:
    text, end = line.rstrip("\n"), line[len(line.rstrip("\n")) :]
    width = min(WIDTH, shutil.get_terminal_size().columns)
    if len(text) <= width:
        return line
    own = text[: len(text) - len(text.lstrip())]
    lines = textwrap.wrap(text, width, subsequent_indent=own + INDENT, break_on_hyphens=False, break_long_words=False)
    return "\n".join(lines) + end


@contextlib.contextmanager
def wrapped() -> Generator[None]:
    """While it lasts, standard error is wrapped if a person reads it."""
    as_usual = sys.stderr
    if as_usual.isatty():
        sys.stderr = Wrapped(as_usual)  # pyright: ignore[reportAttributeAccessIssue] - a stream in all that is used
    try:
        yield
    finally:
        sys.stderr = as_usual
