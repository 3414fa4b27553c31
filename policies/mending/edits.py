"""One change to the text of a document: comments, order and quotes stay, and what was meant is proven afterwards.

The place is found by the parser's marks and only its characters are replaced. Then the text is read again: it must say
what it said before and the change, or the text is left as it was. So no anchor, merge or odd line break is ever broken.
"""

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, TypeAlias

import yaml

from bedplate.policies.manifests.documents import Document, Node, documents, entry, node_of
from bedplate.policies.rule import Edit
from bedplate.policies.values import is_list, is_map

Path: TypeAlias = tuple[str | int, ...]
PLAIN = re.compile(r"[A-Za-z][\w./-]*")
"""Text that needs no quotes, unless it is a word such as `yes`."""
WORDS = {"true", "false", "yes", "no", "on", "off", "y", "n", "null"}
SCALARS = (str, int, float, bool)


def paths_of(value: object, sought: object, above: Path = ()) -> Iterator[Path]:
    """Every way to the very object in a document: more than one where an alias repeats it."""
    if value is sought:
        yield above
    elif is_map(value):
        for key, below in value.items():
            yield from paths_of(below, sought, (*above, key))
    elif is_list(value):
        for place, item in enumerate(value):
            yield from paths_of(item, sought, (*above, place))


def changed(text: str, path: Path, edit: Edit) -> str | None:
    """The text of a document with the change in the mapping or list at a path; None where that cannot be proven."""
    before = _value(text)
    node = _at(node_of(text.encode()), path)
    after = _written(text, node, edit) if node is not None else None
    expected = deepcopy(before)
    return after if after is not None and _value(after) == _meant(expected, path, edit) else None


def _value(text: str) -> object:
    """The first document: the separator of the next one may stand below it."""
    found = next(documents(text.encode()), None)
    return found.value if isinstance(found, Document) else None


def _meant(value: Any, path: Path, edit: Edit) -> object:  # noqa: ANN401 (YAML)
    within = value
    for key in path:
        within = within[key]
    if edit.rename:
        within[edit.rename] = within.pop(edit.key)
    else:
        within[edit.key] = edit.value
    return value


def _at(node: Node, path: Path) -> Node | None:
    for step in path:
        pair = entry(node, step)
        node = pair[1] if pair else None
    return node


def _written(text: str, node: Node, edit: Edit) -> str | None:
    lines = text.splitlines(keepends=True)
    if pair := entry(node, edit.key):
        return _replaced(lines, pair[0], edit.rename) if edit.rename else _replaced(lines, pair[1], edit.value)
    return _inserted(lines, node, edit) if isinstance(node, yaml.MappingNode) and not edit.rename else None


def _replaced(lines: list[str], node: Node, value: object) -> str | None:
    row: int = node.start_mark.line
    start: int = node.start_mark.column
    end: int = node.end_mark.column
    if not isinstance(node, yaml.ScalarNode) or row != node.end_mark.line or not isinstance(value, SCALARS):
        return None
    if isinstance(value, str) and not node.style and _was_other(node) and node.value.lower() != value:
        return None  # 0755 and yes are read as 493 and true: which of the two is meant nobody can say
    single = node.style == "'" and isinstance(value, str) and "'" not in value
    new = f"'{value}'" if single else _literal(value, quoted=node.style == '"')
    lines[row] = lines[row][:start] + new + lines[row][end:]
    return "".join(lines)


def _was_other(node: Node) -> bool:
    return node.tag != "tag:yaml.org,2002:str"


def _inserted(lines: list[str], node: Node, edit: Edit) -> str | None:
    """A new key at the end of a mapping."""
    quoted = any(key.style == '"' for key, _ in node.value)
    pair = f"{_literal(edit.key, quoted=quoted)}: {_literal(edit.value, quoted=quoted)}"
    if not node.value:
        return None
    last = _leaf(node)
    row: int = last.end_mark.line
    column: int = last.end_mark.column
    if node.flow_style:
        row, column = node.value[-1][1].end_mark.line, node.value[-1][1].end_mark.column
        lines[row] = f"{lines[row][:column]}, {pair}{lines[row][column:]}"
        return "".join(lines)
    if column == 0 and row:  # a block of text ends with its line
        row -= 1
    end = "\r\n" if lines[row].endswith("\r\n") else "\n"
    above, last_end = (lines[row], end) if lines[row].endswith("\n") else (f"{lines[row]}{end}", "")
    lines[row] = f"{above}{' ' * node.value[0][0].start_mark.column}{pair}{last_end}"
    return "".join(lines)


def _leaf(node: Node) -> Node:
    """What a mapping or list ends with: its own end is only known at the next key."""
    while not isinstance(node, yaml.ScalarNode) and node.value and not node.flow_style:
        node = node.value[-1][1] if isinstance(node, yaml.MappingNode) else node.value[-1]
    return node


def _literal(value: object, *, quoted: bool) -> str:
    if is_map(value):
        pairs = (f"{_literal(key, quoted=quoted)}: {_literal(below, quoted=quoted)}" for key, below in value.items())
        return f"{{{', '.join(pairs)}}}"
    plain = isinstance(value, str) and not quoted and PLAIN.fullmatch(value) and value.lower() not in WORDS
    return str(value) if plain else json.dumps(value)
