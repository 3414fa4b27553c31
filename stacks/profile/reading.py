"""YAML as people save it: what an editor did to a file, what a slip in it means, and what its values are called.

No line of the file is repeated: it may hold credentials.
"""

import errno
import re
import stat
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml

from bedplate.components.bounded_yaml import BoundedLoader

T = TypeVar("T")
LARGEST = 2**24
"""Bytes of a file that a profile names: far more than people write, and less than fills the memory."""
MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
"""What a file begins with whose encoding is another (Unicode Standard, 23.8, byte order mark)."""


class NotYamlError(Exception):
    """Why a file cannot be read, in words that do not repeat its lines: it may hold credentials."""


class Loader(BoundedLoader):
    """Refuses what YAML 1.2 forbids and PyYAML takes: of a key that stands twice the last would win, unnoticed."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 - PyYAML's signature
        """Of a mapping whose keys are not yet merged."""
        seen = dict[str, int]()
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if isinstance(key, yaml.ScalarNode) and key.value != "<<":
                if str(key.value).startswith(HARD):
                    raise NotYamlError(hard_space(line))
                if key.value in seen:
                    raise NotYamlError(f"{key.value} stands twice, in line {seen[key.value]} and in line {line}")
                seen[key.value] = line
        return super().construct_mapping(node, deep)


def bounded(path: Path) -> bytes:
    """A file's content; of `/dev/zero` and the like no more than the bound.

    Raises:
        OSError: it cannot be read, or is larger than `LARGEST`.
    """
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise OSError(errno.EFBIG, f"it is larger than {LARGEST // 2**20} MiB")
    return data


def regular(path: Path) -> bytes:
    """The content of a regular file: no device, and no pipe that nobody may ever write to.

    Raises:
        OSError: it is none, cannot be read, or is larger than `LARGEST`.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")
    return bounded(path)


def parsed(data: bytes) -> object:
    """The document of a file."""
    return _read(data, Loader.get_single_data)


def documents(data: bytes) -> list[object]:
    """Every document of a file that says anything."""
    return [document for document in _read(data, _all) if document is not None]


def _all(loader: Loader) -> list[object]:
    documents: list[object] = []
    while loader.check_data():
        documents.append(loader.get_data())
    return documents


def composed(data: bytes) -> yaml.Node | None:
    """The nodes of a file, with their places; sound, and what `<<` brings is in them. None: it is empty."""
    return _read(data, _nodes)


def constructed(node: yaml.Node | None) -> object:
    """The value of nodes."""
    return Loader(b"").construct_document(node)  # pyright: ignore[reportUnknownMemberType] - PyYAML's stub


def _nodes(loader: Loader) -> yaml.Node | None:
    if (node := loader.get_single_node()) is not None:
        constructed(node)
    return node


def _read(data: bytes, by: Callable[[Loader], T]) -> T:
    for mark, encoding in MARKS.items():
        if data.startswith(mark):
            raise NotYamlError(f"it is {encoding}; save it as UTF-8")
    try:
        return by(Loader(data.decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise NotYamlError(f"line {line} is not UTF-8; save it as UTF-8") from error
    except yaml.MarkedYAMLError as error:
        raise NotYamlError(_without_contents(error, data.splitlines())) from error
    except yaml.reader.ReaderError as error:
        raise NotYamlError(unreadable(error, data.decode("utf-8-sig"))) from error
    except yaml.YAMLError as error:
        raise NotYamlError(" ".join(str(error).split())) from error


def _without_contents(error: yaml.MarkedYAMLError, lines: list[bytes]) -> str:
    mark = error.problem_mark
    place = f"in line {mark.line + 1}" if mark else None
    text = slip(error, [line.decode("utf-8-sig") for line in lines])
    text = text or " ".join(part for part in (error.context, error.problem, place) if part)
    line = lines[mark.line] if mark and mark.line < len(lines) else b""
    indent = line[: len(line) - len(line.lstrip())]
    return f"{text}; indent with spaces, not with tabs" if b"\t" in indent else text


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
    "did not find expected key": ("", ""),
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
    if not (words := next((words_of_slip for part, words_of_slip in SLIPS.items() if part in problem), None)):
        return ""
    early = any(part in problem for part in WHERE_IT_BEGAN)
    mark = (error.context_mark if early else None) or error.problem_mark
    if mark is None:
        return ""
    if "expected key" in problem and error.context_mark:
        return _odd_quote(lines, error.context_mark.line, mark.line)
    line = lines[mark.line] if mark.line < len(lines) else ""
    what, fix = ("end of stream" not in problem and _closer(line)) or words
    return f"line {mark.line + 1}: {what}; {fix}"


def _odd_quote(lines: list[str], first: int, last: int) -> str:
    """Text that goes on to the next quote, wherever that is; else a line that stands where no key may."""
    for number, line in enumerate(lines[first : last + 1], first + 1):
        if any(line.partition(" #")[0].count(quote) % 2 for quote in "'\""):
            return f"line {number}: a quote that is not closed; close it"
    return f"line {last + 1}: no key of the section above; indent it as its neighbours are, or put the value in quotes"


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


KINDS: tuple[tuple[type, str], ...] = (
    (bool, "true or false"),
    (int, "a number"),
    (float, "a number"),
    (str, "text"),
    (dict, "a section"),
    (list, "a list"),
)


def kind_of(value: object) -> str:
    """With its article; a date is one of YAML's own that nobody expects."""
    return next((name for kind, name in KINDS if isinstance(value, kind)), f"a {type(value).__name__}")


def simple(value: object) -> bool:
    """It fits into one line as it is."""
    return isinstance(value, bool | int | float | str)
