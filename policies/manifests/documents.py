"""YAML and JSON as plain values with the places they stand in, also where a part of the text is broken.

Built from the parser's nodes, for two reasons: it costs half of PyYAML's constructors, and tags that mean something to
other programs only (`!Ref` of CloudFormation) are read as what they hold instead of ending the file.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import yaml

from bedplate.components.bounded_yaml import BoundedLoader

Node: TypeAlias = Any
Steps: TypeAlias = Sequence[str | int]
"""A way into a document: keys, and numbers of items."""
TEXT = {"tag:yaml.org,2002:str", "tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:binary"}
"""Kubernetes reads JSON, which has no dates: they stay as written."""
PLAIN = {f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float")}
BASE_60 = {"tag:yaml.org,2002:int", "tag:yaml.org,2002:float"}
"""`16:00.0`, a PCI address, is a number to PyYAML alone; Go's parsers know no base 60."""
WORD = 64
"""Bits of the largest whole number that Kubernetes' parsers read as one."""
MERGE = "tag:yaml.org,2002:merge"
SEPARATOR = b"\n---"


class Loader(BoundedLoader):
    """Remembers what plain words mean: manifests repeat theirs, and telling takes a third of reading."""

    def resolve(self, kind: type, value: str, implicit: Any) -> Any:  # noqa: ANN401 (PyYAML has no types)
        """The tag of a node that has none written."""
        if kind is yaml.ScalarNode and implicit[0]:
            return _tag(value)
        return RESOLVER.resolve(kind, value, implicit)


@lru_cache(maxsize=1 << 16)
def _tag(word: str) -> str:
    return RESOLVER.resolve(yaml.ScalarNode, word, (True, False))


RESOLVER: Any = yaml.resolver.Resolver()


@dataclass(frozen=True)
class Document:
    """One document as a plain value, with the lines that it takes of its text, from 0."""

    value: object
    first: int
    end: int
    twice: tuple[str, ...] = ()
    """Keys that stand twice in one mapping: the last is taken, as Kubernetes' own parsers do."""


@dataclass(frozen=True)
class Fault:
    """What is no YAML: its line and why."""

    line: int | None
    reason: str

    def __str__(self) -> str:
        """As it follows the file's name."""
        return f"line {self.line}: {self.reason}" if self.line else self.reason


def documents(data: bytes) -> Iterator[Document | Fault]:
    """Every document that can be read; after a broken one, reading goes on at the next separator."""
    above = 0
    while data:
        fault = None
        for found in _readable(data, above):
            if isinstance(found, Fault):
                fault = found
            yield found
        if fault is None or fault.line is None:
            return
        data, passed = _after(data, fault.line - above)
        above += passed


def _readable(data: bytes, above: int) -> Iterator[Document | Fault]:
    loader = None
    try:
        loader = Loader(data)
        while loader.check_node():
            node = loader.get_node()
            values = Values(loader)
            value = values.of(node)
            yield Document(value, above + node.start_mark.line, above + node.end_mark.line + 1, tuple(values.twice))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        yield Fault(mark.line + 1 + above if mark else None, str(error.problem or error.context))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        yield Fault(None, " ".join(str(error).split()))
    except RecursionError:
        yield Fault(None, "it is nested too deeply")
    finally:
        if loader is not None:
            loader.dispose()


def entry(node: Node, step: str | int) -> tuple[Node, Node] | None:
    """A key with its value, the last of that name as parsers take it; an item of a list stands for both."""
    if isinstance(node, yaml.SequenceNode):
        found = [(each, each) for each in node.value[step : step + 1]] if isinstance(step, int) else []
    else:
        pairs = node.value if isinstance(node, yaml.MappingNode) else ()
        found = [pair for pair in pairs if isinstance(pair[0], yaml.ScalarNode) and pair[0].value == step]
    return found[-1] if found else None


def node_of(text: bytes) -> Node:
    """The first document of a text that was read before, with its marks."""
    loader = Loader(text)
    try:
        loader.check_node()
        return loader.get_node()
    finally:
        loader.dispose()


def _after(data: bytes, line: int) -> tuple[bytes, int]:
    """What follows the first separator from a line on, and how many lines precede it."""
    start = 0
    for _ in range(line - 1):
        start = data.find(b"\n", start) + 1 or len(data)
    cut = data.find(SEPARATOR, max(start - 1, 0))
    return (data[cut + 1 :], data.count(b"\n", 0, cut + 1)) if cut >= 0 else (b"", 0)


class Values:
    """Plain values of one document's nodes; what an alias repeats is one value."""

    def __init__(self, loader: Any) -> None:  # noqa: ANN401 (PyYAML has no types for its loaders)
        self._loader = loader
        self._built: dict[int, object] = {}
        self._open: set[int] = set()
        self.twice: list[str] = []
        """Keys that a mapping has twice."""

    def of(self, node: Node) -> object:
        """The value; keys are text, since YAML reads `on:` and `8000:` as something else."""
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        mark = id(node)
        if mark in self._built:
            return self._built[mark]
        if mark in self._open:
            raise yaml.MarkedYAMLError(problem="it contains itself", problem_mark=node.start_mark)
        self._open.add(mark)
        value = self._mapping(node) if isinstance(node, yaml.MappingNode) else [self.of(item) for item in node.value]
        self._open.discard(mark)
        self._built[mark] = value
        return value

    def _mapping(self, node: Node) -> object:
        written = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        if len(written) != len(set(written)):
            self.twice += sorted({key for key in written if written.count(key) > 1 and key != "<<"})
        if any(key.tag == MERGE for key, _ in node.value):
            self._loader.flatten_mapping(node)
        return {str(self.of(key)): self.of(value) for key, value in node.value}

    def _scalar(self, node: Node) -> object:
        if node.tag in TEXT or node.tag not in PLAIN or (":" in node.value and node.tag in BASE_60):
            return node.value
        try:
            value: object = self._loader.construct_object(node)
        except ValueError:
            return node.value
        return node.value if isinstance(value, int) and value.bit_length() > WORD else value
