"""Slips of a YAML file that PyYAML names in its parser's words: what was meant, where, and how to write it.

No line of the file is repeated: it may hold credentials.
"""

import re
from collections.abc import Mapping

import yaml

HARD = ("\u00a0", "\u2007", "\u202f", "\u3000")
"""Spaces that YAML takes for letters; editors and web pages put them in."""
VARIABLE = re.compile(r"\$\{|\{\{")
SLIPS: Mapping[str, tuple[str, str]] = {
    "could not find expected ':'": ("a key without its colon", "write `key: value`, with a space after the colon"),
    "found unexpected end of stream": ("a quote that is not closed", "close it"),
    "did not find expected ',' or '}'": ("a brace that is not closed", "close it, or put the value in quotes"),
    "did not find expected ',' or ']'": ("a bracket that is not closed", "close it, or put the value in quotes"),
    "found undefined alias": ("* begins an alias", "put the value in quotes"),
    "found unhashable key": ("a brace or a bracket where a key belongs", "put the value in quotes"),
    "cannot start any token": ("no value begins with @, % or a backtick", "put it in quotes"),
    "mapping values are not allowed": ("a second colon", "put the value in quotes, or the key in a line of its own"),
    "found another document": ("a second document begins", "keep one in a file"),
}
"""What PyYAML says (libyaml, src/scanner.c, src/parser.c), what it is, and the fix."""
WHERE_IT_BEGAN = ("expected ':'", "end of stream", "',' or '")
"""Noticed later, and mended where it began."""


def slip(error: yaml.MarkedYAMLError, lines: list[str]) -> str:
    """The place, what it is and the fix; nothing where we know no better than PyYAML."""
    problem = str(error.problem)
    if not (words := next((said for part, said in SLIPS.items() if part in problem), None)):
        return ""
    early = any(part in problem for part in WHERE_IT_BEGAN)
    mark = (error.context_mark if early else None) or error.problem_mark
    if mark is None:
        return ""
    line = lines[mark.line] if mark.line < len(lines) else ""
    what, fix = ("end of stream" not in problem and _closer(line)) or words
    return f"line {mark.line + 1}: {what}; {fix}"


def hard_space(line: int) -> str:
    """A key that begins with a space which is none."""
    return f"line {line}: a no-break space, which YAML takes for a letter; write a plain one"


def unreadable(error: yaml.reader.ReaderError, text: str) -> str:
    """A character that no YAML may have (YAML 1.2.2, 5.1)."""
    line = text.count("\n", 0, error.position) + 1
    return f"line {line}: a control character (U+{ord(text[error.position]):04X}); remove it"


def _closer(line: str) -> tuple[str, str] | None:
    """What the line itself shows."""
    if VARIABLE.search(line):
        return "${…} and {{…}} begin a mapping, and nothing here fills them in", "write the value itself, or in quotes"
    if any(space in line for space in HARD):
        return "a no-break space, which YAML takes for a letter", "write a plain one"
    return None
