"""Rules as data: a file with a CEL expression for each, which is true of what is right.

The Common Expression Language is the one of Kubernetes' own admission policies, run by the package of the extra
`bedplate[cel]` (`common-expression-language`, cel-rust). What the file lacks or has too much is said with its line.
"""

import re
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from bedplate.policies.facts import Fact, Facts
from bedplate.policies.manifests.records import line_of, record_in, shown
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import Pod
from bedplate.policies.rule import ADVISORY, Complaint, Complaints, Rule
from bedplate.policies.severity import Severity
from bedplate.wrong import WrongError

VARIABLES = {"object": {"object"}, "pod": {"object", "pod", "metadata"}}
"""What an expression may name, by what it judges."""
FUNCTIONS = {
    *("size", "contains", "startsWith", "endsWith", "matches", "has", "all", "exists", "exists_one", "filter", "map"),
    *("int", "uint", "double", "string", "bytes", "bool", "timestamp", "duration", "type", "dyn"),
}
"""What the language itself has, which is all that there is: google/cel-spec doc/langdef.md, standard definitions."""
BOUND = re.compile(r"\.(?:all|exists|exists_one|filter|map)\(\s*(\w+)\s*,")
"""Names that an expression gives to the items of a list."""
PROOF = "its expression"
WRONG = (KeyError, RuntimeError, TypeError, ValueError, OverflowError)
"""How the package says that an expression has no value: a key is absent, a type does not fit."""


class Expressed(Fact):
    """One rule of a file."""

    id: str
    title: str = Field(min_length=1)
    severity: Severity = ADVISORY
    about: Literal["object", "pod"] = "object"
    """Whether the expression is about each object, or about each pod template in whatever kind."""
    kinds: tuple[str, ...] = ()
    """Kinds of the objects; empty: all."""
    expression: str = Field(min_length=1)
    message: str = ""
    """What is wrong where the expression is false; empty: the expression itself says it."""
    why: str = Field(min_length=1)
    fix: str = Field(min_length=1)
    source: str = Field(min_length=1)


class RuleFile(Fact):
    """What a file of rules holds."""

    rules: tuple[Expressed, ...]


def rules_in(file: Path) -> list[Rule]:
    """The rules of a file; each fault is one line with its place."""
    stated = record_in(file, RuleFile, "rules: [{id: ACME-101, ...}]")
    if not find_spec("cel"):
        raise WrongError(f"{file}: rules as expressions need a package: install bedplate[cel]")
    return [_rule(file, number, each) for number, each in enumerate(stated.rules)]


def _rule(file: Path, number: int, stated: Expressed) -> Rule:
    import cel  # noqa: PLC0415 (it costs half a second, which only those pay who have such rules)

    steps = ("rules", number, "expression")
    where = f"{file}: line {line_of(file.read_bytes(), steps)}: {shown(steps)}"
    try:
        program = cel.compile(stated.expression)
    except ValueError as error:
        raise WrongError(f"{where}: {_reason(error)}") from None
    known = VARIABLES[stated.about]
    if strange := sorted({*program.variables()} - known - {*BOUND.findall(stated.expression)}):
        raise WrongError(
            f"{where}: there is no {strange[0]}; with `about: {stated.about}` there is {', '.join(sorted(known))}"
        )
    if strange := sorted(each for each in program.functions() if each.isidentifier() and each not in FUNCTIONS):
        raise WrongError(f"{where}: there is no function {strange[0]}; known are {', '.join(sorted(FUNCTIONS))}")
    views: tuple[type[Any] | str, ...] = (Pod,) if stated.about == "pod" else stated.kinds or (Resource,)
    return Rule(
        stated.id,
        stated.severity,
        on=views,
        check=_check(stated, program),
        own={"title": stated.title, "proof": PROOF}
        | {key: getattr(stated, key).rstrip(".") for key in ("why", "fix", "source")},
    )


def _reason(error: ValueError) -> str:
    """The parser's own words without its drawing of the place."""
    said = str(error).partition("ERROR: <input>:")[2].splitlines()
    return f"is no CEL: {said[0].partition(' expecting ')[0]}" if said else f"is no CEL: {error}"


def _check(stated: Expressed, program: Any) -> Callable[..., Complaints]:  # noqa: ANN401 (the package has no types)
    def expressed(view: Resource | Pod, _: Facts) -> Complaints:
        if isinstance(view, Resource):
            yield from _judged(stated, program, {"object": view.props})
        elif not view.completed and (not stated.kinds or view.resource.kind in stated.kinds):
            values = {"object": view.resource.props, "pod": view.spec, "metadata": view.metadata}
            yield from _judged(stated, program, values)

    expressed.__doc__ = stated.title
    return expressed


def _judged(stated: Expressed, program: Any, values: Mapping[str, object]) -> Complaints:  # noqa: ANN401
    try:
        answer = program.execute(dict(values))
    except WRONG as error:
        said = f"has no {error.args[0]}" if isinstance(error, KeyError) else str(error)
        yield Complaint(f"cannot be judged by `{stated.expression}`: {said} (guard it by has(...))", severity=ADVISORY)
        return
    if answer is not True:
        said = "is not so" if answer is False else f"is {answer!r}, neither true nor false"
        yield stated.message.rstrip(".") or f"`{stated.expression}` {said}"
