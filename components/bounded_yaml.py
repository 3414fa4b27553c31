"""A YAML loader that a small file cannot make fill the memory or the stack: manifests come from anybody.

libyaml composes by recursion in C, so that 100,000 opening braces end the process, and an alias is one reference for
the parser and a whole copy for whoever walks the values: 700 bytes stand for 10^9 of them ("billion laughs").
"""

import json
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from yaml import SafeLoader
else:
    SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # without libyaml slower, with the same values

DEPTH = 200
"""Levels; the deepest CRD that we know has about 60."""
VALUES = 1_000_000
"""Values, each counted as often as an alias repeats it."""
MERGED = 10_000
"""Keys of a mapping, with those that `<<` brings."""


def parsed_json(text: str | bytes) -> Any:  # noqa: ANN401 - any JSON
    """JSON that stands within a manifest or a file of somebody's; ValueError also where it is nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


class BoundedLoader(SafeLoader):
    """Refuses what is nested too deeply, or larger by its aliases than anything that a person writes."""

    def __init__(self, stream: bytes | str) -> None:
        super().__init__(stream)
        self._level = 0
        self._may_repeat = ("&" if isinstance(stream, str) else b"&") in stream  # type: ignore[operator]

    def descend_resolver(self, current_node: Any, current_index: Any) -> None:  # noqa: ANN401, ARG002 (PyYAML has no types)
        """Called for each node on the way down, also by the composer in C."""
        self._level += 1
        if self._level > DEPTH:
            raise yaml.MarkedYAMLError(
                problem=f"it is nested too deeply: more than {DEPTH} levels", problem_mark=current_node.start_mark
            )

    def ascend_resolver(self) -> None:
        """And on the way up."""
        self._level -= 1

    def get_node(self) -> Any:  # noqa: ANN401 (PyYAML has no types)
        """The next document of several."""
        return self._weighed(super().get_node())

    def get_single_node(self) -> Any:  # noqa: ANN401 (PyYAML has no types)
        """The only document."""
        return self._weighed(super().get_single_node())

    def flatten_mapping(self, node: Any) -> None:  # noqa: ANN401 (PyYAML has no types)
        """Merge keys: each level of them may multiply the one below."""
        super().flatten_mapping(node)
        if len(node.value) > MERGED:
            raise _too_large(node)

    def _weighed(self, node: Any) -> Any:  # noqa: ANN401 (PyYAML has no types)
        if node is not None and self._may_repeat and _values(node, {}) > VALUES:
            raise _too_large(node)
        return node


def _values(node: Any, counted: dict[int, int]) -> int:  # noqa: ANN401 (PyYAML has no types)
    if isinstance(node, yaml.ScalarNode):
        return 1
    mark = id(node)
    if mark not in counted:
        counted[mark] = 1  # of a node that contains itself, which is for others to refuse
        pairs = isinstance(node, yaml.MappingNode)
        parts = [part for pair in node.value for part in pair] if pairs else node.value
        counted[mark] = 1 + sum(_values(part, counted) for part in parts)
    return counted[mark]


def _too_large(node: Any) -> yaml.MarkedYAMLError:  # noqa: ANN401 (PyYAML has no types)
    return yaml.MarkedYAMLError(problem=f"its aliases make more than {VALUES:,} values", problem_mark=node.start_mark)
