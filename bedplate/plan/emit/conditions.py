"""What a gate waits for, in the languages of those who look: CEL for Flux, Lua for Argo CD.

The forms are those that our gates are written in (`components/readiness.py`): a path of fields, an element of a list
by one of its fields, a key in brackets; there, or of a value.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bedplate.plan.errors import PlanError
from bedplate.plan.graph import Node
from bedplate.plan.manifests import object_of
from bedplate.plan.summary import NODES_PROOF, waits_for_status

WHOLE = re.compile(r"jsonpath=\{(?P<path>[^}]+)\}(?:=(?P<value>.+))?")
PART = re.compile(
    r"""\.(?P<field>[A-Za-z0-9_-]+)"""
    r"""|\[\?\(@\.(?P<by>[A-Za-z0-9_-]+)==["'](?P<of>[^"']+)["']\)\]"""
    r"""|\[["'](?P<key>[^"']+)["']\]"""
)


@dataclass(frozen=True)
class Element:
    """That of a list whose field has a value."""

    by: str
    of: str


@dataclass(frozen=True)
class Condition:
    """One place of an object, and what must stand there; None: anything."""

    path: tuple[str | Element, ...]
    value: str | None

    @classmethod
    def read(cls, text: str) -> "Condition":
        """As `pulumi.com/waitFor` has it."""
        whole = WHOLE.fullmatch(text)
        parts = list(PART.finditer(whole["path"])) if whole else []
        if not whole or "".join(part[0] for part in parts) != whole["path"]:
            raise PlanError([f"--emit: the gate's condition {text!r} has no form that it could be written in"])
        path = tuple(
            Element(part["by"], part["of"]) if part["by"] else str(part["field"] or part["key"]) for part in parts
        )
        return cls(path, whole["value"])

    def cel(self) -> str:
        """An object without a status is an error to Flux, which it takes for not yet."""
        return " && ".join(_cel(self.path, self.value))

    def lua(self) -> str:
        """A call of `at`, which stands before (`argocd.py`)."""
        steps = ", ".join(
            f"{{by = {json.dumps(step.by)}, of = {json.dumps(step.of)}}}"
            if isinstance(step, Element)
            else json.dumps(step)
            for step in self.path
        )
        return f"at(obj, {{{steps}}}) " + ("~= nil" if self.value is None else f"== {json.dumps(self.value)}")


def _cel(path: tuple[str | Element, ...], value: str | None) -> Iterator[str]:
    """One term for each field that must be there, and one for the value."""
    place = ""
    for at, step in enumerate(path):
        if isinstance(step, Element):
            terms = " && ".join(_cel(("e", *path[at + 1 :]), value))
            yield f"{place}.exists(e, e.{step.by} == '{step.of}' && {terms})"
            return
        if not place:
            place = step
        elif step.isidentifier():
            place += f".{step}"
            yield f"has({place})"
        else:
            yield f"'{step}' in {place}"
            place += f"['{step}']"
    if value is not None:
        yield f"{place} == '{value}'"


@dataclass(frozen=True)
class Gate:
    """An object that is done once it meets all conditions."""

    document: Mapping[str, Any]
    conditions: tuple[Condition, ...]

    @property
    def kind(self) -> tuple[str, str]:
        """API version and kind."""
        return self.document["apiVersion"], self.document["kind"]

    @property
    def name(self) -> str:
        """Of the object."""
        return str(self.document["metadata"]["name"])


def gate(node: Node) -> Gate | None:
    """What a resource waits for on the API server; nodes are looked at by Bedplate alone."""
    stated = waits_for_status(node)
    if not stated or node.type == NODES_PROOF:
        return None
    conditions: list[str] = json.loads(stated) if stated.startswith("[") else [stated]
    return Gate(object_of(node), tuple(map(Condition.read, conditions)))
