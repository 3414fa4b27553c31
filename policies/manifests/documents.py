"""YAML and JSON as plain values with the places they stand in, also where a part of the text is broken.

Built from the parser's nodes, for two reasons: it costs half of PyYAML's constructors, and tags that mean something to
other programs only (`!Ref` of CloudFormation) are read as what they hold instead of ending the file.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from bedplate.components.bounded_yaml import BoundedLoader
from bedplate.policies.values import is_map
from bedplate.wrong import WrongError

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
RecordT = TypeVar("RecordT", bound=BaseModel)
WORDS = {
    "missing": "absent, and needed: add it",
    "int_type": "write a whole number",
    "int_parsing": "write a whole number",
    "int_from_float": "write a whole number",
    "float_type": "write a number",
    "float_parsing": "write a number",
    "bool_type": "write true or false",
    "bool_parsing": "write true or false",
    "string_type": "write a text, in quotes if it is a number",
    "string_too_short": "write a text that is not empty",
    "tuple_type": "write a list",
    "dict_type": "write keys and values",
    "mapping_type": "write keys and values",
    "model_type": "write keys and values",
    "model_attributes_type": "write keys and values",
    "date_type": "write a day, such as 2027-01-31",
    "date_parsing": "write a day of the calendar, such as 2027-01-31",
    "date_from_datetime_parsing": "write a day of the calendar, such as 2027-01-31",
}
"""What to write instead, by pydantic's name of the fault (docs.pydantic.dev, "Validation Errors")."""


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


def record_in(file: Path, model: type[RecordT], example: str, source: str = "", /, **beside: object) -> RecordT:
    """What a small file of keys and values holds; `source` is its name in messages, `beside` what it may not say.

    Raises:
        WrongError: one line for each fault, with the file, the key, the value and what to write.
    """
    name = source or str(file)
    keys = ", ".join(label for key, field in model.model_fields.items() if (label := field.alias or key) not in beside)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise WrongError(f"{name}: {error.strerror or error}") from None
    parts = list(documents(data))
    if fault := next((part for part in parts if isinstance(part, Fault)), None):
        raise WrongError(f"{name}: {fault}")
    value: object = next((part.value for part in parts if isinstance(part, Document)), dict[str, object]())
    if not is_map(value) or beside.keys() & value.keys():
        raise WrongError(f"{name}: write keys and values, such as `{example}`; known are {keys}")
    try:
        return model.model_validate({**value, **beside})
    except ValidationError as error:
        lines = (f"line {line_of(data, each['loc'])}: {_worded(each, keys)}" for each in error.errors())
        raise WrongError("\n".join(f"{name}: {line}" for line in lines)) from None


def line_of(data: bytes, steps: Steps) -> int:
    """The line of the deepest part of a way into a text's first document that is there, from 1."""
    node, line = node_of(data), 1
    for step in steps:
        pair = entry(node, step)
        if pair is None:
            break
        node, line = pair[1], pair[0].start_mark.line + 1
    return line


def entry(node: Node, step: str | int) -> tuple[Node, Node] | None:
    """A key with its value, the last of that name as parsers take it; an item of a list stands for both."""
    if isinstance(node, yaml.SequenceNode):
        found = [(each, each) for each in node.value[step : step + 1]] if isinstance(step, int) else []
    else:
        pairs = node.value if isinstance(node, yaml.MappingNode) else ()
        found = [pair for pair in pairs if isinstance(pair[0], yaml.ScalarNode) and pair[0].value == step]
    return found[-1] if found else None


def shown(steps: Steps) -> str:
    """A way into a document as people write it: `rules[0].expression`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).lstrip(".")


def _worded(details: ErrorDetails, keys: str) -> str:
    kind, key = details["type"], shown([part for part in details["loc"] if part != "[key]"])
    if kind == "extra_forbidden":
        return f"{key}: there is no such key" + (f"; known are {keys}" if len(details["loc"]) == 1 else "")
    if kind == "value_error":
        return f"{key}: {details['msg'].removeprefix('Value error, ')}"
    if kind == "missing":
        return f"{key}: {WORDS[kind]}"
    fix = WORDS.get(kind) or details["msg"].replace("Input should be", "write")
    return f"{key} = {json.dumps(details['input'], default=str)}: {fix}"


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
