"""In which line of its file a key of the profile stands; only read once something is wrong with it."""

from collections.abc import Iterator
from pathlib import Path

import yaml

from stacks.profile.reading import SafeLoader
from stacks.profile.stack_file import PROFILE_KEY

AROUND = ("config", PROFILE_KEY)
"""What a stack file has around a profile."""


def line_of(file: Path, key: str) -> int | None:
    """Of the key, or of the nearest that is there; None where the file says nothing about it."""
    try:
        document = yaml.compose(file.read_text(encoding="utf-8"), SafeLoader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return None
    if document is None:
        return None
    start = _profile(document)
    found = [line for line, _ in _steps(start, key)]
    return found[-1] if found else start.start_mark.line + 1


def _profile(document: yaml.Node) -> yaml.Node:
    """Where the profile begins: the whole document where nothing is around it."""
    node = document
    for name in AROUND:
        below = [value for key, value in _entries(node) if key.value == name]
        if not below:
            return document
        node = below[0]
    return node


def _steps(node: yaml.Node, key: str) -> Iterator[tuple[int, yaml.Node]]:
    """The line and the value of each part of the key that is there, outermost first."""
    while key:
        step = _item(node, key) if key.startswith("[") else _entry(node, key)
        if step is None:
            return
        line, node, key = step
        yield line, node


def _entry(node: yaml.Node, key: str) -> tuple[int, yaml.Node, str] | None:
    """Names may hold dots themselves, as labels do: the longest that fits is meant."""
    fitting = [(name, value) for name, value in _entries(node) if _begins(key, name.value)]
    if not fitting:
        return None
    name, value = max(fitting, key=lambda pair: len(pair[0].value))
    return name.start_mark.line + 1, value, key[len(name.value) :].removeprefix(".")


def _begins(key: str, name: str) -> bool:
    return bool(name) and key.startswith(name) and key[len(name) : len(name) + 1] in ("", ".", "[")


def _item(node: yaml.Node, key: str) -> tuple[int, yaml.Node, str] | None:
    number, _, rest = key[1:].partition("]")
    if not isinstance(node, yaml.SequenceNode) or not number.isdigit() or int(number) >= len(node.value):
        return None
    item: yaml.Node = node.value[int(number)]
    return item.start_mark.line + 1, item, rest.removeprefix(".")


def _entries(node: yaml.Node) -> list[tuple[yaml.ScalarNode, yaml.Node]]:
    pairs: list[tuple[yaml.Node, yaml.Node]] = node.value if isinstance(node, yaml.MappingNode) else []
    return [(key, value) for key, value in pairs if isinstance(key, yaml.ScalarNode)]
