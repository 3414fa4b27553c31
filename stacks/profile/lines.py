"""The nodes of a profile's YAML by the keys that messages use, and its text changed where they stand.

Comments, order and quotes stay as they are: a YAML library that writes the whole file anew keeps none of them.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from bedplate.stacks.profile.document import PROFILE_KEY, StackFileError

AROUND = ("config", PROFILE_KEY)
"""What a stack file has around a profile."""
Edit: TypeAlias = tuple[int, int, str]
"""From where to where in the text, and what belongs there."""


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with all of them, which do not overlap."""
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def written_in(text: str) -> Any:  # noqa: ANN401 - as it is
    """The profile that a text holds."""
    document = yaml.safe_load(text)
    return document["config"][PROFILE_KEY] if "config" in document else document


def rewrite(file: Path, text: str, meant: Mapping[str, Any], fault: str) -> None:
    """Write what was edited, unless it reads otherwise than it is meant."""
    if written_in(text) != meant:
        raise StackFileError(fault)
    file.write_text(text, encoding="utf-8", newline="")


def node_of(start: yaml.Node, key: str) -> yaml.Node | None:
    """The name of the key itself, as it is written; None where it is not there."""
    *_, last = [None, *(name for name, _ in steps(start, key))]
    matches = isinstance(last, yaml.ScalarNode) and last.value == key.rpartition(".")[2]
    return last if matches else None


def values_of(node: yaml.Node, path: str) -> Iterator[yaml.Node]:
    """What a key holds at each place: `pools[].nodes` of every pool."""
    name, _, rest = path.partition(".")
    for key, value in entries(node):
        if key.value == name.removesuffix("[]"):
            for element in value.value if name.endswith("[]") and isinstance(value, yaml.SequenceNode) else [value]:
                yield from values_of(element, rest) if rest else [element]


def profile_in(document: yaml.Node) -> yaml.Node:
    """Where the profile begins: the whole document where nothing is around it."""
    node = document
    for name in AROUND:
        below = [value for key, value in entries(node) if key.value == name]
        if not below:
            return document
        node = below[0]
    return node


def steps(node: yaml.Node, key: str) -> Iterator[tuple[yaml.Node, yaml.Node]]:
    """The name (or item) and the value of each part of the key that is there, outermost first."""
    while key:
        step = _item(node, key) if key.startswith("[") else _entry(node, key)
        if step is None:
            return
        name, node, key = step
        yield name, node


def _entry(node: yaml.Node, key: str) -> tuple[yaml.Node, yaml.Node, str] | None:
    """Names may hold dots themselves, as labels do: the longest that fits is meant."""
    fitting = [(name, value) for name, value in entries(node) if _begins(key, name.value)]
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


def entries(node: yaml.Node) -> list[tuple[yaml.ScalarNode, yaml.Node]]:
    """Keys and values of a mapping; of anything else none."""
    pairs: list[tuple[yaml.Node, yaml.Node]] = node.value if isinstance(node, yaml.MappingNode) else []
    return [(key, value) for key, value in pairs if isinstance(key, yaml.ScalarNode)]
