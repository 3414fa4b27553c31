"""What an API server says of one request in process: the member's Role, then admission policies, then counted quotas.

Not its defaults, its schemas and its own rules: `tests/cluster/` asks a real one of the same attacks.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from bedplate.components.quantity import mib
from tests.cel import CelError, evaluated

Object = Mapping[str, Any]
ALL = "*"


@dataclass(frozen=True)
class Request:
    """Who asks what; `group`, `version` and `plural` of its resource, `pods/binding` with what is below it."""

    verb: str
    group: str
    version: str
    plural: str
    namespace: str
    new: Object | None = None
    old: Object | None = None
    options: Object = field(default_factory=dict[str, Any])
    user: Object = field(default_factory=dict[str, Any])

    @cached_property
    def operation(self) -> str:
        """As admission names it."""
        return {"create": "CREATE", "patch": "UPDATE", "update": "UPDATE"}.get(self.verb, "DELETE")

    @cached_property
    def values(self) -> dict[str, Any]:
        """Names of CEL, without variables."""
        whole = self.new or self.old or {}
        asked = {
            "operation": self.operation,
            "namespace": self.namespace,
            "name": whole.get("metadata", {}).get("name", ""),
            "userInfo": self.user,
            "options": self.options,
            "kind": {"kind": whole.get("kind", "")},
            "resource": {"group": self.group, "version": self.version, "resource": self.plural.partition("/")[0]},
            "subResource": self.plural.partition("/")[2],
        }
        return {"object": stored(self.new), "oldObject": stored(self.old), "request": asked, "authorizer": {"by": ""}}


def stored(value: Any, key: str = "") -> Any:
    """As the API server holds it: nothing that is null, and amounts as text."""
    if isinstance(value, Mapping):
        return {
            name: stored(one, name if key not in ("limits", "requests") else key)
            for name, one in value.items()
            if one is not None
        }
    if isinstance(value, list):
        return [stored(one) for one in value]
    return str(value) if key in ("limits", "requests") else value


def permitted(request: Request, rules: Iterable[Mapping[str, Iterable[str]]]) -> bool:
    """Whether a Role allows it."""

    def has(rule: Mapping[str, Iterable[str]], key: str, value: str) -> bool:
        return value in rule[key] or ALL in rule[key]

    return any(
        has(rule, "api_groups", request.group)
        and has(rule, "resources", request.plural)
        and has(rule, "verbs", request.verb)
        for rule in rules
    )


def refusals(request: Request, policies: Iterable[Object]) -> Iterator[str]:
    """What each policy that matches says against it; one that cannot be evaluated refuses."""
    for policy in policies:
        spec = policy["spec"]
        if any(_matches(request, rule) for rule in spec["matchConstraints"]["resourceRules"]):
            yield from _said(request.values, spec)


def _matches(request: Request, rule: Object) -> bool:
    """Whatever the version: a policy is asked of each that is served (`matchPolicy: Equivalent`, the default)."""
    asked = (request.group, request.plural, request.operation)
    keys = ("apiGroups", "resources", "operations")
    return all(one in rule[key] or ALL in rule[key] for key, one in zip(keys, asked, strict=True))


def _said(values: Mapping[str, Any], spec: Object) -> Iterator[str]:
    known = dict(values) | {"variables": {}}
    for variable in spec.get("variables", ()):
        try:
            known["variables"] = {
                **known["variables"],
                variable["name"]: evaluated(variable["expression"], known),
            }
        except CelError:
            continue  # who asks for it fails
    try:
        if not all(evaluated(one["expression"], known) for one in spec.get("matchConditions", ())):
            return
    except CelError as error:
        yield f"a condition fails: {error}"
        return
    for limit in spec["validations"]:
        try:
            if not evaluated(limit["expression"], known):
                yield limit["message"]
        except CelError as error:
            yield f"{limit['message']} (it fails: {error})"


def over(request: Request, hard: Mapping[str, str]) -> Iterator[str]:
    """Quotas of nothing at all of what an object is counted as, and claims of more than all that there may be."""
    if request.operation == "DELETE":
        return
    kinds = {(one or {}).get("spec", {}).get("type") for one in (request.new, request.old)}
    if request.plural == "services" and len(kinds) == 2:
        asked = COUNTED.get(str((request.new or {}).get("spec", {}).get("type")), ())
        yield from (f"exceeded quota: {key}" for key in asked if hard.get(key) == "0")
    if request.plural == "persistentvolumeclaims" and request.new:
        size = request.new["spec"]["resources"]["requests"]["storage"]
        yield from ("exceeded quota: requests.storage" for most in (hard[STORAGE],) if mib(size) > mib(most))


COUNTED = {"LoadBalancer": ("services.loadbalancers", "services.nodeports"), "NodePort": ("services.nodeports",)}
"""By a Service's type."""
STORAGE = "requests.storage"
