"""Objects of a cluster, as `kubectl get -o json` shows them: plain mappings, of which any part may be missing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Object: TypeAlias = Mapping[str, Any]
Cause = Literal[
    "quota",
    "topology",
    "gang",
    "priority",
    "image",
    "admission",
    "nodes",
    "volume",
    "network",
    "program",
    "starting",
    "running",
    "finished",
]


@dataclass(frozen=True)
class Reason:
    """Why a job is where it is."""

    cause: Cause
    text: str

    def __str__(self) -> str:
        """One line."""
        return f"{self.cause}: {self.text}"


def conditions(one: Object) -> dict[str, Object]:
    """Its status conditions by type."""
    return {str(condition.get("type")): condition for condition in one.get("status", {}).get("conditions") or ()}


def holds(one: Object, kind: str) -> bool:
    """Whether its condition of this type is true."""
    return conditions(one).get(kind, {}).get("status") == "True"


def said(condition: Object) -> str:
    """A condition's message on one line, without a full stop."""
    return " ".join(str(condition.get("message") or condition.get("reason") or "no reason given").split()).rstrip(".")


def name(one: Object) -> str:
    """Its name."""
    return str(one.get("metadata", {}).get("name", ""))


def owned(one: Object, job: str) -> bool:
    """Whether an object of this job's name owns it; operators append a random part to names of their own."""
    return any(owner.get("name") == job for owner in one.get("metadata", {}).get("ownerReferences") or ())
