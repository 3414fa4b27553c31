"""In which line of its file a key of the profile stands; only read once something is wrong with it."""

from collections.abc import Iterator
from pathlib import Path

import yaml

from bedplate.components.bounded_yaml import BoundedLoader
from bedplate.stacks.profile.stack_file import PROFILE_KEY

AROUND = ("config", PROFILE_KEY)
"""What a stack file has around a profile."""


def line_of(file: Path, key: str) -> int | None:
    """Of the key, or of the nearest that is there; None where the file says nothing about it."""
    try:
        document = yaml.compose(file.read_text(encoding="utf-8"), BoundedLoader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return None
    if document is None:
        return None
    start = profile_in(document)
    return ([start, *_steps(start, key)][-1]).start_mark.line + 1


def node_of(start: yaml.Node, key: str) -> yaml.Node | None:
    """The name of the key itself, as it is written; None where it is not there."""
    *_, last = [None, *_steps(start, key)]
    found = isinstance(last, yaml.ScalarNode) and last.value == key.rpartition(".")[2]
    return last if found else None


def profile_in(document: yaml.Node) -> yaml.Node:
    """Where the profile begins: the whole document where nothing is around it."""
    node = document
    for name in AROUND:
        below = [value for key, value in _entries(node) if key.value == name]
        if not below:
            return document
        node = below[0]
    return node


def _steps(node: yaml.Node, key: str) -> Iterator[yaml.Node]:
    """The name or item of each part of the key that is there, outermost first."""
    while key:
        step = _item(node, key) if key.startswith("[") else _entry(node, key)
        if step is None:
            return
        name, node, key = step
        yield name


def _entry(node: yaml.Node, key: str) -> tuple[yaml.Node, yaml.Node, str] | None:
    """Names may hold dots themselves, as labels do: the longest that fits is meant."""
    fitting = [(name, value) for name, value in _entries(node) if _begins(key, name.value)]
    if not fitting:
        return None
    name, value = max(fitting, key=lambda pair: len(pair[0].value))
    return name, value, key[len(name.value) :].removeprefix(".")


def _begins(key: str, name: str) -> bool:
    return bool(name) and key.startswith(name) and key[len(name) : len(name) + 1] in ("", ".", "[")


def _item(node: yaml.Node, key: str) -> tuple[yaml.Node, yaml.Node, str] | None:
    number, _, rest = key[1:].partition("]")
    if not isinstance(node, yaml.SequenceNode) or not number.isdigit() or int(number) >= len(node.value):
        return None
    item: yaml.Node = node.value[int(number)]
    return item, item, rest.removeprefix(".")


def _entries(node: yaml.Node) -> list[tuple[yaml.ScalarNode, yaml.Node]]:
    pairs: list[tuple[yaml.Node, yaml.Node]] = node.value if isinstance(node, yaml.MappingNode) else []
    return [(key, value) for key, value in pairs if isinstance(key, yaml.ScalarNode)]
