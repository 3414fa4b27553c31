"""Where in a document a complaint points: the line of the field, found by the words of the complaint.

A complaint that begins with the whole path of its field is about that. Others name the field and its value, so the
place whose path and text share most words with it is the one meant; words that only identifiers have (`NCCL_ALGO`,
`/dev/shm`) weigh more than plain ones. Where nothing matches it is the object's first line.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import yaml

from bedplate.policies.judging.verdict import Verdict
from bedplate.policies.manifests.documents import Node, node_of
from bedplate.policies.manifests.read import Origin
from bedplate.policies.resources.model import Resource

WORD = re.compile(r"[^\s,;=`'\"()|<>]+")
IDENTIFIER = re.compile(r"[A-Z_./-]|[a-z][0-9]")
FILLERS = {
    *("a", "an", "and", "are", "as", "at", "be", "beside", "but", "by", "each", "for", "from", "has", "have", "in"),
    *("is", "it", "its", "no", "not", "of", "on", "one", "or", "than", "that", "the", "to", "with"),
}
STRONG, WEAK, DOTTED = 3, 1, 4
SEVERAL = re.compile(r"[\s,;=`'\"()|<>]")
Said: TypeAlias = frozenset[str]
"""Words of the complaint on the way to a node."""


@dataclass(frozen=True)
class Place:
    """A line and a column, both from 1."""

    line: int = 1
    column: int = 1


class Places:
    """The place of each verdict. Its document is parsed again: the nodes of all documents would take too much room."""

    def __init__(
        self, origins: Mapping[str, Origin], resources: Iterable[Resource] = (), whole: str = "(all files)"
    ) -> None:
        self._origins = origins
        self._resources = {each.urn: each for each in resources}
        self.whole = whole
        """What is not in a file is in."""
        self._read: tuple[Origin, Node] | None = None

    def resource(self, verdict: Verdict) -> Resource | None:
        """The object that a verdict is about."""
        return self._resources.get(verdict.urn)

    def of(self, verdict: Verdict) -> Place:
        """Where a verdict points; the first line of its file where it is about no object."""
        origin = self._origins.get(verdict.urn)
        if origin is None:
            return Place()
        here = place(self._node(origin), verdict.hint.strip())  # not every view has a role, with which hints begin
        return replace(here, line=here.line + origin.first)

    def _node(self, origin: Origin) -> Node:
        """The object's node; several verdicts on one object follow each other."""
        if self._read is None or self._read[0] is not origin:
            document = node_of(origin.text)
            self._read = (origin, document if origin.item is None else _item(document, origin.item))
        return self._read[1]


def _item(node: Node, number: int) -> Node:
    """An item of a List."""
    return next(value for key, value in node.value if key.value == "items").value[number]


def words(text: str) -> Said:
    """What a text says, without the punctuation around it."""
    found = (word.rstrip(".:") for word in WORD.findall(text))
    return frozenset(word for word in found if word and word.lower() not in FILLERS)


def place(node: Node, complaint: str) -> Place:
    """The place in a document that a complaint is about."""
    if (stated := _stated(node, complaint.partition(" ")[0])) is not None:
        return _at(stated)
    search = Search(complaint, node)
    search.below(node, frozenset(), "")
    return _at(search.best)


def _stated(node: Node, path: str) -> Node | None:
    """The field whose whole path a complaint begins with, `spec.containers[0].image`; None where it is no path here."""
    if isinstance(node, yaml.SequenceNode):
        number, _, rest = path.removeprefix("[").partition("]")
        item = node.value[int(number)] if number.isdecimal() and int(number) < len(node.value) else None
        return _stated(item, rest.removeprefix(".")) if item and rest else item
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        name = str(key.value)
        if path == name:
            return key
        below = path.removeprefix(name)
        if below.startswith((".", "[")) and below != path and (found := _stated(value, below.removeprefix("."))):
            return found
    return None


class Search:
    """The walk through a document: what adds no word of the complaint is passed by, for there are many such nodes."""

    def __init__(self, complaint: str, node: Node) -> None:
        self._weights = {word: STRONG if IDENTIFIER.search(word) else WEAK for word in words(complaint)}
        self._paths = [f".{word}" for word in self._weights if "." in word.strip(".")]
        self._score = 0
        self.best: Node | int = node
        """A node, or a line within a text."""

    def below(self, node: Node, said: Said, path: str) -> None:
        """Look at every key and item below a node; items of lists go by their names."""
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                name = str(key.value)
                way = f"{path}.{name}" if self._paths else ""
                self._at(key, value, self._with(said, name), way)
        elif isinstance(node, yaml.SequenceNode):
            for item in node.value:
                self._at(item, item, self._with(said, *_names(item)), path)

    def _at(self, spot: Node, value: Node, said: Said, path: str) -> None:
        if not isinstance(value, yaml.ScalarNode):
            self._offer(spot, said, path)
            self.below(value, said, path)
        elif value.style in ("|", ">"):
            for number, line in enumerate(value.value.splitlines(), start=value.start_mark.line + 2):
                self._offer(number, self._with(said, *WORD.findall(line)), path)
        else:
            parts = WORD.findall(value.value) if SEVERAL.search(value.value) else ()
            self._offer(spot, self._with(said, value.value, *parts), path)

    def _with(self, said: Said, *more: str) -> Said:
        new = [word for word in more if word in self._weights]
        return said.union(new) if new else said

    def _offer(self, spot: Node | int, said: Said, path: str) -> None:
        score = sum([self._weights[word] for word in said])
        score += sum([DOTTED * each.count(".") for each in self._paths if path.endswith(each)])
        if score > self._score:
            self.best, self._score = spot, score


def _names(item: Node) -> list[str]:
    pairs = item.value if isinstance(item, yaml.MappingNode) else ()
    return [str(value.value) for key, value in pairs if key.value == "name" and isinstance(value, yaml.ScalarNode)]


def _at(spot: Node | int) -> Place:
    return Place(spot) if isinstance(spot, int) else Place(spot.start_mark.line + 1, spot.start_mark.column + 1)
