"""One rule, what it accepts, and each single change that it must refuse."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from bedplate.policies.facts import Facts
from bedplate.policies.judging.judge import Levels, judge
from bedplate.policies.judging.verdict import Verdict
from bedplate.policies.manifests.charts import from_manifest
from bedplate.policies.resources.model import Resource
from bedplate.policies.rule import Severity
from bedplate.policies.rules import RULES
from bedplate.policies.values import UNKNOWN

GONE = object()
Path = tuple[str, ...]
Docs = dict[str, Any]


@dataclass(frozen=True)
class Break:
    """A change, by the path of what is changed (words), and a part of the message that it must bring."""

    path: str
    value: object
    message: str
    severity: Severity | None = None
    """That it must have, where that depends on the change."""

    def is_in(self, verdicts: list[Verdict]) -> bool:
        """Whether one of them is about this change."""
        return any(self.message in one.message and self.severity in (None, one.severity) for one in verdicts)


@dataclass(frozen=True)
class Case:
    """Valid documents by name, `facts` being the profile's, and the breaks."""

    rule: str
    docs: Docs
    breaks: tuple[Break, ...]
    complete: bool = True

    def broken(self, change: Break, value: object = GONE) -> Docs:
        """The documents with one change, or with another value in its place."""
        return put(self.docs, tuple(change.path.split()), change.value if value is GONE else value)

    def complaints(self, docs: Docs) -> list[Verdict]:
        """The rule's own verdicts on the documents."""
        others: Levels = {rule.id: "disabled" for rule in RULES if rule.id != self.rule}
        return verdicts(docs, others, complete=self.complete)


def case(rule: str, docs: Docs, *breaks: tuple[Any, ...], complete: bool = True) -> Case:
    return Case(rule, docs, tuple(Break(*each) for each in breaks), complete)


def verdicts(docs: Docs, levels: Levels, *, complete: bool = True) -> list[Verdict]:
    facts = Facts.from_mapping(docs.get("facts", {}))
    return judge(
        [resource(name, doc) for name, doc in docs.items() if name != "facts"], facts, levels, complete=complete
    )


def resource(name: str, doc: Any) -> Resource:
    if isinstance(doc, Mapping) and "type" in doc:
        return Resource(doc["type"], doc["name"], name, doc["props"], dependencies=tuple(doc["dependencies"]))
    beside = (
        {key: doc[key] for key in ("dependencies", "file", "twice") if key in doc} if isinstance(doc, Mapping) else {}
    )
    found = from_manifest({key: value for key, value in doc.items() if key not in beside} if beside else doc)
    waits, twice = (tuple(beside.get(key, ())) for key in ("dependencies", "twice"))
    file = beside.get("file", "")
    return Resource(found.type, found.name, name, found.props, dependencies=waits, file=file, twice=twice)


def put(docs: Docs, path: Path, value: object) -> Docs:
    """A copy with a value at a path; GONE takes it away."""
    copy = deepcopy(docs)
    node: Any = copy
    for key in path[:-1]:
        node = node[int(key)] if isinstance(node, list) else node.setdefault(key, {})
    last: Any = int(path[-1]) if isinstance(node, list) else path[-1]
    if value is GONE:
        node.pop(last)
    else:
        node[last] = value
    return copy


def places(node: Any, above: Path = ()) -> Iterator[Path]:
    """Every path in the documents, sections as well as leaves."""
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, below in children:
        yield (*above, str(key))
        yield from places(below, (*above, str(key)))


FIXED = {("apiVersion",), ("kind",), ("type",), ("name",), ("helmRelease",), ("props",), ("file",), ("twice",)}


def uncertain(case: Case) -> Iterator[tuple[Path, Docs]]:
    """The valid documents with each single value not known yet: the kind and API of an object always are."""
    for path in places({name: doc for name, doc in case.docs.items() if name != "facts"}):
        below = path[1:]
        if below and below not in FIXED and below[0] != "dependencies":
            yield path, put(case.docs, path, UNKNOWN)
