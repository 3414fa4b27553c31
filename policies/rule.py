"""What a rule is: a generator of complaints, whose words stand in `rules.toml` beside it."""

import inspect
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from bedplate.policies.resources.model import Resource
from bedplate.policies.severity import ADVISORY, MANDATORY, Severity

__all__ = [
    "ADVISORY",
    "MANDATORY",
    "REGISTRY",
    "Check",
    "Complaint",
    "Complaints",
    "Edit",
    "Rule",
    "Severity",
    "in_order",
    "rule",
]


@dataclass(frozen=True)
class Edit:
    """The one change to a document that mends a complaint: another value at a key, a new one, or another name."""

    within: object
    """The very mapping or list in the resource's properties."""
    key: str | int
    value: object = None
    rename: str = ""
    """Another name for the key, instead of another value."""


@dataclass(frozen=True)
class Complaint:
    """What is wrong, with its value; the rule itself says why that matters and, mostly, what to do."""

    what: str
    """The value and what is wrong with it, as a sentence without its full stop."""
    fix: str = ""
    """What to do in this case, where the rule's general advice can be made more exact."""
    severity: Severity | None = None
    """Where the case is graver or lighter than the rule."""
    about: Resource | None = None
    """The resource at fault, for a rule that looks at the whole stack."""
    beside: Resource | None = None
    """The other of two that exclude each other: in two files of a folder they may be alternatives, which is advice."""
    edits: tuple[Edit, ...] = ()
    """What mends it, where nothing else does."""


Complaints: TypeAlias = Iterator[Complaint | str]
Check: TypeAlias = Callable[..., Complaints]
CheckT = TypeVar("CheckT", bound=Check)


@cache
def words(subject: str) -> Mapping[str, Mapping[str, str]]:
    """The words of a subject's rules, by id and key; read when somebody needs the first of them."""
    return tomllib.loads(Path(__file__).with_name("rules").joinpath(subject, "rules.toml").read_text(encoding="utf-8"))


class Word:
    """A part of what is said of a rule, by its own name in the rule's table."""

    def __set_name__(self, _: type, name: str) -> None:
        """Know the key."""
        self._name = name

    def __get__(self, rule: "Rule", _: type) -> str:
        """The words, read when somebody asks."""
        return rule.words.get(self._name, "")


@dataclass(frozen=True)
class Rule:
    """A rule: what it looks at, how grave its complaints are, and what the pack, the command line and the docs say."""

    id: str
    severity: Severity
    on: tuple[type[Any] | str, ...]
    """What it judges: views (Resource, Release, Pod, Workload, Stack) and kinds of resources."""
    check: Check
    also: Severity | None = None
    """The other severity that some of its complaints have."""
    own: Mapping[str, str] | None = None
    """The words of a company's own rule, which has no `rules.toml`."""

    @property
    def words(self) -> Mapping[str, str]:
        """Title, why, fix, source and proof: its table in `rules.toml`."""
        return words(self.subject)[self.id] if self.own is None else self.own

    title = Word()
    """What holds where nothing is wrong."""
    why = Word()
    """What happens if it is ignored, as a sentence."""
    fix = Word()
    """What to do, as an imperative sentence."""
    source = Word()
    """Where the fact is from."""
    proof = Word()
    """What in front of us proves a mandatory complaint, as a part of a sentence; empty where none is mandatory."""

    @property
    def description(self) -> str:
        """The docstring of its function."""
        return inspect.getdoc(self.check) or ""

    @property
    def subject(self) -> str:
        """The package of rules that it belongs to: driver, network, nccl; `own` for a company's."""
        ours = self.check.__module__.partition("bedplate.policies.rules.")[2]
        return ours.split(".")[0] or "own"

    def message(self, complaint: Complaint) -> str:
        """The value, why it matters and what to do, in one line."""
        return f"{complaint.what}. {self.why}. {complaint.fix or self.fix}."


REGISTRY: dict[str, Rule] = {}
ORDER = ("GPU", "NET", "NCCL", "SCH", "TRN", "INF", "STO", "CLD", "OBJ")
"""Of the subjects, by the prefix of their ids."""


def rule(
    ident: str,
    severity: Severity,
    *,
    on: type[Any] | tuple[type[Any] | str, ...],
    also: Severity | None = None,
    **own: str,
) -> Callable[[CheckT], CheckT]:
    """Register the decorated generator as a rule; the function itself stays callable.

    A company's own rule brings its words: `title`, `why`, `fix`, `source` and, if it is mandatory, `proof`.
    """

    def register(check: CheckT) -> CheckT:
        if ident in REGISTRY:
            raise ValueError(f"two rules are called {ident}")
        REGISTRY[ident] = Rule(ident, severity, on if isinstance(on, tuple) else (on,), check, also, own or None)
        return check

    return register


def _place(rule: Rule) -> tuple[int, str, int]:
    prefix, _, number = rule.id.rpartition("-")
    return ORDER.index(prefix) if prefix in ORDER else len(ORDER), prefix, int(number)


def in_order() -> tuple[Rule, ...]:
    """Every rule that is registered, in the order of the ids; a company's own ones last."""
    return tuple(sorted(REGISTRY.values(), key=_place))
