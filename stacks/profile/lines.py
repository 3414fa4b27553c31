"""The nodes of a profile's YAML by the keys that messages use; only read once something is wrong with it."""

from collections.abc import Iterator

import yaml

from bedplate.stacks.profile.stack_file import PROFILE_KEY

AROUND = ("config", PROFILE_KEY)
"""What a stack file has around a profile."""


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
