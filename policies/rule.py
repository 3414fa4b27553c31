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
    "Rule",
    "Severity",
    "in_order",
    "rule",
]


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


Complaints: TypeAlias = Iterator[Complaint | str]
Check: TypeAlias = Callable[..., Complaints]
CheckT = TypeVar("CheckT", bound=Check)


@cache
def words(subject: str) -> Mapping[str, Mapping[str, str]]:
    """The words of a subject's rules, by id and key; read when somebody needs the first of them."""
    return tomllib.loads(Path(__file__).with_name("rules").joinpath(subject, "rules.toml").read_text(encoding="utf-8"))


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

    @property
    def words(self) -> Mapping[str, str]:
        """Its table in `rules.toml`."""
        return words(self.subject)[self.id]

    @property
    def title(self) -> str:
        """What holds where nothing is wrong."""
        return self.words["title"]

    @property
    def why(self) -> str:
        """What happens if it is ignored, as a sentence."""
        return self.words["why"]

    @property
    def fix(self) -> str:
        """What to do, as an imperative sentence."""
        return self.words["fix"]

    @property
    def source(self) -> str:
        """Where the fact is from."""
        return self.words["source"]

    @property
    def proof(self) -> str:
        """What in front of us proves a mandatory complaint, as a part of a sentence; empty where none is mandatory."""
        return self.words.get("proof", "")

    @property
    def description(self) -> str:
        """The docstring of its function."""
        return inspect.getdoc(self.check) or ""

    @property
    def subject(self) -> str:
        """The package of rules that it belongs to: driver, network, nccl."""
        return self.check.__module__.split(".rules.")[1].split(".")[0]

    def message(self, complaint: Complaint) -> str:
        """The value, why it matters and what to do, in one line."""
        return f"{complaint.what}. {self.why}. {complaint.fix or self.fix}."


REGISTRY: dict[str, Rule] = {}
ORDER = ("GPU", "NET", "NCCL", "SCH", "TRN", "INF", "STO", "CLD", "OBJ")
"""Of the subjects, by the prefix of their ids."""


def rule(
    ident: str, severity: Severity, *, on: type[Any] | tuple[type[Any] | str, ...], also: Severity | None = None
) -> Callable[[CheckT], CheckT]:
    """Register the decorated generator as a rule; the function itself stays callable."""

    def register(check: CheckT) -> CheckT:
        if ident in REGISTRY:
            raise ValueError(f"two rules are called {ident}")
        REGISTRY[ident] = Rule(ident, severity, on if isinstance(on, tuple) else (on,), check, also)
        return check

    return register


def _place(rule: Rule) -> tuple[int, int]:
    prefix, number = rule.id.split("-")
    return ORDER.index(prefix), int(number)


def in_order() -> tuple[Rule, ...]:
    """Every rule that is registered, in the order of the ids."""
    return tuple(sorted(REGISTRY.values(), key=_place))
