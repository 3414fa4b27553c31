"""What a rule is: a generator of complaints with its metadata written once, beside it."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
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
    edits: tuple[Edit, ...] = ()
    """What mends it, where nothing else does."""


Complaints: TypeAlias = Iterator[Complaint | str]
Check: TypeAlias = Callable[..., Complaints]
CheckT = TypeVar("CheckT", bound=Check)


@dataclass(frozen=True)
class Rule:
    """A rule and everything that the pack, the command line and the docs say about it."""

    id: str
    title: str
    severity: Severity
    why: str
    """What happens if it is ignored, as a sentence."""
    fix: str
    """What to do, as an imperative sentence."""
    source: str
    """Where the fact is from."""
    on: tuple[type[Any] | str, ...]
    """What it judges: views (Resource, Release, Pod, Workload, Stack) and kinds of resources."""
    check: Check
    also: Severity | None = None
    """The other severity that some of its complaints have."""
    proof: str = ""
    """What in front of us proves a mandatory complaint, as a part of a sentence."""

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


def rule(  # noqa: PLR0913 (the metadata of a rule, each given by name)
    ident: str,
    title: str,
    severity: Severity,
    *,
    on: type[Any] | tuple[type[Any] | str, ...],
    why: str,
    fix: str,
    source: str,
    also: Severity | None = None,
    proof: str = "",
) -> Callable[[CheckT], CheckT]:
    """Register the decorated generator as a rule; the function itself stays callable."""

    def register(check: CheckT) -> CheckT:
        if ident in REGISTRY:
            raise ValueError(f"two rules are called {ident}")
        if bool(proof) is not (MANDATORY in (severity, also)):
            raise ValueError(f"{ident}: a rule that is mandatory says what proves it, and no other does")
        views = on if isinstance(on, tuple) else (on,)
        REGISTRY[ident] = Rule(ident, title, severity, why, fix, source, views, check, also, proof)
        return check

    return register


def _place(rule: Rule) -> tuple[int, str, int]:
    prefix, _, number = rule.id.rpartition("-")
    return ORDER.index(prefix) if prefix in ORDER else len(ORDER), prefix, int(number)


def in_order() -> tuple[Rule, ...]:
    """Every rule that is registered, in the order of the ids; a company's own ones last."""
    return tuple(sorted(REGISTRY.values(), key=_place))
