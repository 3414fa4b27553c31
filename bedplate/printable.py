"""Text from outside as a terminal may have it: names, messages and values come from anybody.

A terminal obeys ESC, CSI, OSC and their C1 twins (ECMA-48, 5.4 and 8.3): a file's name can clear the screen, set the
title or write into the clipboard. Each such character is shown as its picture (Unicode, "Control Pictures"), as many
characters as before, so that no layout moves. Marks that turn the direction of writing hide text, too (CVE-2021-42574).
Tabs and newlines stay: our own tables and lines have them. Text that must be a single line goes through `single`.
"""

import codecs
from typing import TextIO

PICTURES = 0x2400
"""Where the pictures of C0 begin, in their order."""
LOST = 0xFFFD
KEPT = (0x09, 0x0A)
TURNS = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)
"""Unicode Standard Annex 9: explicit directional formatting."""
SHOWN = {
    **{code: PICTURES + code for code in range(0x20) if code not in KEPT},
    0x7F: 0x2421,
    **dict.fromkeys((*range(0x80, 0xA0), 0x2028, 0x2029, *TURNS), LOST),
}
POOR = {"\N{MULTIPLICATION SIGN}": "x", "…": "...", "\N{NO-BREAK SPACE}": " ", "→": "->", "\N{EN DASH}": "-", "·": "-"}
"""Of what our own words have beyond ASCII, the nearest in it."""
ERRORS = "bedplate.poor"


def printable(text: str) -> str:
    """The same text, of which nothing steers a terminal."""
    return text.translate(SHOWN)


def single(text: str) -> str:
    """The same on a single line: a name with a newline must not write lines of its own into a report."""
    return printable(text.replace("\n", "\N{SYMBOL FOR LINE FEED}").replace("\t", " "))


class Printable:
    """A stream on which everything is printable; all else is the stream's own."""

    def __init__(self, stream: TextIO) -> None:
        self.beneath = stream
        """What steers the cursor on purpose, such as rich's colours, is written there."""
        if reconfigure := getattr(stream, "reconfigure", None):  # ASCII, or a file's name that is no UTF-8
            reconfigure(errors=ERRORS)

    def write(self, text: str) -> int:
        """As a stream does."""
        self.beneath.write(printable(text))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        """Each of them."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> object:
        """Whatever else a stream can do."""
        return getattr(self.beneath, name)


def _poor(error: UnicodeError) -> tuple[str | bytes, int]:
    """What an encoding does not have: the nearest that it has, or its number."""
    if isinstance(error, UnicodeEncodeError):
        text = error.object[error.start : error.end]
        if all(letter in POOR for letter in text):
            return "".join(POOR[letter] for letter in text), error.end
    return codecs.backslashreplace_errors(error)


codecs.register_error(ERRORS, _poor)
