"""Both outputs of a command: nothing that it writes steers the terminal, and complaints are wrapped at its width.

A complaint stays one line where a program or a file reads it.
"""

import contextlib
import shutil
import sys
import textwrap
from collections.abc import Generator

from bedplate.naming import with_commands
from bedplate.printable import Printable, printable

WIDTH = 80
INDENT = "  "


class Complaints(Printable):
    """Standard error: a page is named by what its reader has."""

    def write(self, text: str) -> int:
        """As a stream does."""
        self.beneath.write(printable(with_commands(text)))
        return len(text)


class Wrapped(Printable):
    """The same for a person, with long lines wrapped."""

    def write(self, text: str) -> int:
        """As a stream does."""
        self.beneath.write("".join(map(_fold, printable(with_commands(text)).splitlines(keepends=True))))
        return len(text)


def _fold(line: str) -> str:
    text, end = line.rstrip("\n"), line[len(line.rstrip("\n")) :]
    width = min(WIDTH, shutil.get_terminal_size().columns)
    if len(text) <= width:
        return line
    own = text[: len(text) - len(text.lstrip())]
    lines = textwrap.wrap(text, width, subsequent_indent=own + INDENT, break_on_hyphens=False, break_long_words=False)
    return "\n".join(lines) + end


@contextlib.contextmanager
def guarded() -> Generator[None]:
    """While it lasts, both streams are printable, and standard error is wrapped if a person reads it."""
    out, err = sys.stdout, sys.stderr
    ours = Printable(out) if out else out
    sys.stdout = ours  # pyright: ignore[reportAttributeAccessIssue] - a stream in all that is used
    sys.stderr = (Wrapped if err.isatty() else Complaints)(err)  # pyright: ignore[reportAttributeAccessIssue]
    try:
        yield
    finally:
        sys.stderr = err
        if sys.stdout is ours:  # and not what swallows the rest, where nobody reads on
            sys.stdout = out
