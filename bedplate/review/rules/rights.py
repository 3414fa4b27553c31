"""Who may do what: rights that are lost, and who loses them."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from bedplate.review.changes import Change, Resource
from bedplate.review.danger import Judgement
from bedplate.review.fields import Field
from bedplate.review.rules.rule import evicts, nothing

RBAC = "Kubernetes docs: RBAC"
Right = tuple[str, str, str, str]
"""API group, resource, verb, and the one name that it holds for (empty: all)."""


def rights(rules: Sequence[Mapping[str, Sequence[str]]]) -> Iterator[Right]:
    """Every single right of some rules."""
    for rule in rules:
        resources = (*rule.get("resources", ()), *rule.get("nonResourceURLs", ()))
        yield from product(
            rule.get("apiGroups") or ("",), resources, rule.get("verbs", ()), rule.get("resourceNames") or ("",)
        )


def granted(right: Right, among: set[Right]) -> bool:
    """It, or a wider one, is there."""
    group, resource, verb, name = right
    return any(wider in among for wider in product((group, "*"), (resource, "*"), (verb, "*"), (name, "")))


def lost(change: Change, _: Field) -> Judgement:
    """Rights that the new rules no longer give."""
    old, new = (set(rights(_listed(version, "rules"))) for version in (change.old, change.new))
    gone = sorted(
        {f"{verb} {resource}" for right in old if not granted(right, new) for _, resource, verb, _ in [right]}
    )
    if not gone:
        return nothing("rights are added, and none is lost", RBAC)
    return evicts(f"who holds it may no longer {', '.join(gone[:3])}: controllers and jobs that do it fail", RBAC)


def subject(change: Change, _: Field) -> Judgement:
    """People are refused from now on; controllers and pods that lose their rights fail."""
    old, new = (_listed(version, "subjects") for version in (change.old, change.new))
    gone = [subject for subject in old if subject not in new]
    return _unbound(gone)


def _listed(resource: Resource | None, key: str) -> list[Mapping[str, Any]]:
    return list(resource.inputs.get(key) or ()) if resource else []


def _unbound(gone: list[Mapping[str, Any]]) -> Judgement:
    accounts = [str(subject.get("name")) for subject in gone if subject.get("kind") == "ServiceAccount"]
    if accounts:
        return evicts(f"{', '.join(accounts)} loses its rights: controllers and jobs that use them fail", RBAC)
    return nothing("rights of requests that come later: what runs goes on", RBAC)


def unbound(change: Change) -> Judgement:
    """A binding goes, and the rights of all its subjects with it."""
    return _unbound(_listed(change.old, "subjects"))
