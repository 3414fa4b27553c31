"""A rule in CEL: which kinds it looks at, and what must be true of each."""

import re
from dataclasses import dataclass

from bedplate.components.waiver import ANNOTATION, CREATED
from bedplate.components.workload.templates import PODS, TEMPLATES, Kind, each_spec
from bedplate.policies.rule import Severity

POD: Kind = ("", "v1", "pods")
ADDED: Kind = ("", "v1", "pods/ephemeralcontainers")
"""Through which `kubectl debug` adds containers to a pod that runs."""
JUST_ADDED = "has(request.subResource) && request.subResource == 'ephemeralcontainers'"
"""A pod that runs is not judged anew when somebody looks inside: only what is added is."""
DATED = r"r'^until [0-9]{4}-[0-9]{2}-[0-9]{2}: *\S'"
WATCHED = "(has({0}.metadata.{1}) && '{2}' in {0}.metadata.{1} ? {0}.metadata.{1}['{2}'] : '')"


@dataclass(frozen=True)
class Guard:
    """What must hold for every object of some kinds."""

    rule: str
    expression: str
    """True for what is right."""
    kinds: tuple[Kind, ...] = PODS
    part: str = ""
    """Tells guards of one rule apart."""
    severity: Severity | None = None
    """Where the guard covers only a graver or lighter part of its rule."""
    labels: tuple[str, ...] = ()
    """Labels that decide: a change of one is judged, also where nothing else changes."""

    @property
    def _looks_at_pods(self) -> bool:
        return self.kinds[0] == POD or "variables.templates" in self.expression

    @property
    def variables(self) -> list[dict[str, str]]:
        """Pod templates, where the guard looks at them, and whether the object is waived."""
        pods = {"templates": " ".join(TEMPLATES.split()), "added": JUST_ADDED} if self._looks_at_pods else {}
        named = {**pods, "waived": waived(self.rule, templates=self._looks_at_pods)}
        return [{"name": name, "expression": expression} for name, expression in named.items()]

    @property
    def validation(self) -> str:
        """The expression, true also for what is waived."""
        return f"variables.waived || ({self.expression})"

    @property
    def changes(self) -> str:
        """When an object is judged: as it is made, and when what is wanted changes.

        Objects that are there may still be labelled, finalized and deleted, but for the labels that decide and the
        waiver, which would open a way around.
        """
        marks = [("labels", label) for label in self.labels]
        marks.append(("annotations", f"{ANNOTATION}/{self.rule}"))
        moved = [f"{WATCHED.format('object', *mark)} != {WATCHED.format('oldObject', *mark)}" for mark in marks]
        spec = "(has(object.spec) && object.spec != oldObject.spec)"
        return " || ".join(["request.operation == 'CREATE'", spec, *moved])

    def resource_rules(self) -> list[dict[str, list[str]]]:
        """The kinds, as the API server matches them."""
        added = [ADDED] if "variables.added" in self.expression else []
        return [
            {"apiGroups": [group], "apiVersions": [version], "resources": [plural], "operations": ["CREATE", "UPDATE"]}
            for group, version, plural in (*self.kinds, *added)
        ]


def waived(rule: str, *, templates: bool) -> str:
    """Whether an annotation of the object, or of a pod template, allows it today and says why."""
    key = f"{ANNOTATION}/{rule}"
    until = f"v.matches({DATED}) && {CREATED} <= v.substring(6, 16)"
    holds = f"[m.annotations['{key}']].exists(v, v.startsWith('until ') ? {until} : v.matches(r'\\S'))"
    metadata = "[object.metadata]"
    if templates:
        metadata += " + variables.templates.filter(t, has(t.metadata)).map(t, t.metadata)"
    return f"({metadata}).exists(m, has(m.annotations) && '{key}' in m.annotations && {holds})"


def cel(pattern: re.Pattern[str] | str, *, whole: bool = False) -> str:
    """A regular expression as CEL writes it; both Python's and RE2's grammars must have it."""
    text = pattern if isinstance(pattern, str) else pattern.pattern
    return f"r'^({text})$'" if whole else f"r'{text}'"


RUNNING = (
    "($s.containers + (has($s.initContainers) "
    "? $s.initContainers.filter(c, has(c.restartPolicy) && c.restartPolicy == 'Always') : []))"
)
"""The containers that run side by side: an init container that always restarts is a sidecar."""
ALL = (
    "((variables.added ? [] : $s.containers) "
    "+ (variables.added || !has($s.initContainers) ? [] : $s.initContainers) "
    "+ (has($s.ephemeralContainers) ? $s.ephemeralContainers : []))"
)
"""All that ever run: of a pod to which some are added, those."""
LINE = "((has(c.command) ? c.command : []) + (has(c.args) ? c.args : [])).map(a, string(a)).join(' ')"
"""A container's command line."""


def each_container(condition: str) -> str:
    """True where the condition holds for every container `c` that ever runs."""
    return each_spec(f"{ALL}.all(c, {condition})")


def sets(names: str, values: str) -> str:
    """Whether container `c` sets one of the variables to one of the values, in its environment or in its shell."""
    listed = f"has(c.env) && c.env.exists(e, e.name.matches(r'^({names})$') && has(e.value) && "
    listed += f"e.value.matches(r'^({values})$'))"
    shell = rf"r'(^|[\s;&])({names})=[\x22\x27]?({values})([\x22\x27\s;&]|$)'"
    return f"(({listed}) || {LINE}.matches({shell}))"


def asks(pattern: re.Pattern[str]) -> str:
    """Whether container `c` asks for a resource whose name matches."""
    name = cel(pattern, whole=True)
    limits, requests = (
        f"(has(c.resources.{part}) && c.resources.{part}.exists(k, k.matches({name})))"
        for part in ("limits", "requests")
    )
    return f"(has(c.resources) && ({limits} || {requests}))"


def count(pattern: re.Pattern[str], containers: str = RUNNING) -> str:
    """How many of the resources a pod asks for, over all its containers; 8, "8" and "8e0" are the same."""
    name = cel(pattern, whole=True)
    limits = f"(has(c.resources.limits) ? c.resources.limits.filter(k, k.matches({name})) : [])"
    requests = (
        f"(has(c.resources.requests) ? c.resources.requests.filter(k, k.matches({name}) "
        "&& !(has(c.resources.limits) && k in c.resources.limits)) : [])"
    )
    amounts = [
        f"{keys}.map(k, quantity(string(c.resources.{part}[k])).asInteger()).sum()"
        for part, keys in (("limits", limits), ("requests", requests))
    ]
    return f"{containers}.map(c, has(c.resources) ? {' + '.join(amounts)} : 0).sum()"
