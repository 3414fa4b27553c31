"""The verdicts of the rules on resources: one function for the plan, the command line and the engine's analyzer."""

from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any, Literal, TypeAlias

from bedplate.policies.facts import Facts
from bedplate.policies.judging.verdict import Verdict
from bedplate.policies.judging.waivers import listed, noted, today
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import Pod
from bedplate.policies.resources.release import Release
from bedplate.policies.resources.stack import Stack, Subject
from bedplate.policies.resources.workloads import Workload, workload_of
from bedplate.policies.rule import ADVISORY, REGISTRY, Complaint, Rule, Severity
from bedplate.policies.rules import RULES
from bedplate.policies.values import tree

Level: TypeAlias = Severity | Literal["disabled"]
Levels: TypeAlias = Mapping[str, Level]


def judge(
    resources: Iterable[Resource], facts: Facts, levels: Levels | None = None, *, complete: bool = True
) -> list[Verdict]:
    """Every verdict on these resources, sorted. `complete` says that they are all that the cluster has."""
    stack = Stack(resources, facts, complete=complete)
    found = {*on_stack(stack, levels or {})}
    for subject in stack.subjects:
        found.update(on_resource(subject, facts, levels or {}))
    return sorted(found)


def on_resource(subject: Subject, facts: Facts, levels: Levels) -> Iterator[Verdict]:
    """The verdicts on one resource alone: these block it before it is made."""
    for view in _views(subject):
        for rule in _rules_on(type(view), subject.resource.kind):
            yield from _verdicts(rule, rule.check(view, facts), view, facts, levels)


def on_stack(stack: Stack, levels: Levels) -> Iterator[Verdict]:
    """The verdicts that need the whole graph."""
    for rule in _rules_on(Stack, ""):
        yield from _verdicts(rule, rule.check(stack), stack, stack.facts, levels)


def _views(subject: Subject) -> Iterator[Resource | Release | Workload | Pod]:
    yield subject.resource
    if subject.release:
        yield subject.release
    if subject.workload:
        yield subject.workload
        yield from subject.workload.pods


@cache
def _index() -> Mapping[type | str, list[Rule]]:
    index: dict[type | str, list[Rule]] = defaultdict(list)
    ours = {rule.id for rule in RULES}
    for rule in (*RULES, *(each for each in REGISTRY.values() if each.id not in ours)):
        for key in rule.on:
            index[key].append(rule)
    return dict(index)


@contextmanager
def beside(own: Iterable[Rule]) -> Generator[None]:
    """While it lasts, these rules are judged, listed and reported beside ours."""
    added = {rule.id: rule for rule in own}
    REGISTRY.update(added)
    _index.cache_clear()
    try:
        yield
    finally:
        for ident in added:
            del REGISTRY[ident]
        _index.cache_clear()


def _rules_on(view: type[Any], kind: str) -> list[Rule]:
    index = _index()
    return [*index.get(view, ()), *(index.get(kind, ()) if view is Resource else ())]


def _verdicts(
    rule: Rule,
    complaints: Iterable[Complaint | str],
    view: Resource | Release | Workload | Pod | Stack,
    facts: Facts,
    levels: Levels,
) -> Iterator[Verdict]:
    level = levels.get(rule.id)
    if level == "disabled":
        return
    for each in complaints:
        complaint = Complaint(each) if isinstance(each, str) else each
        resource = complaint.about or (view if isinstance(view, Resource) else getattr(view, "resource", None))
        title = view.title if isinstance(view, Pod) else resource.title if resource else "stack"
        if isinstance(view, Stack) and _alternatives(view, complaint):
            complaint = replace(complaint, what=f"{complaint.what}, if both files are applied", severity=ADVISORY)
        verdict = Verdict(
            file=resource.file if resource else "",
            resource=title,
            rule=rule.id,
            severity=level or _gravity(rule, complaint, resource),
            urn=resource.urn if resource else "",
            message=f"{title}: {rule.message(complaint)}",
            hint=f"{getattr(view, 'role', '')} {complaint.what}",
            what=complaint.what,
            fix=complaint.fix or rule.fix,
            edits=complaint.edits,
        )
        allowed = noted(_annotations(view, resource), rule.id) or listed(facts.waivers, rule.id, title)
        yield allowed.applied(verdict, today()) if allowed else verdict


def _alternatives(stack: Stack, complaint: Complaint) -> bool:
    """Whether a complaint takes two resources of which perhaps only one is applied."""
    one, other = complaint.about, complaint.beside
    return one is not None and other is not None and not stack.deployed_together(one, other)


def _gravity(rule: Rule, complaint: Complaint, resource: Resource | None) -> Severity:
    """How grave a complaint is: about what a kustomization may still change, no more than advice."""
    return ADVISORY if resource and resource.unsure else complaint.severity or rule.severity


def _annotations(view: object, resource: Resource | None) -> Mapping[str, object]:
    """Where a waiver may stand: on the pod template that a complaint is about, else on the object and its templates."""
    if isinstance(view, Pod):
        return view.annotations
    if resource is None:
        return {}
    workload = workload_of(resource)
    found: dict[str, object] = {}
    for pod in workload.pods if workload else ():
        found |= tree(pod.metadata.get("annotations"))
    return found | dict(resource.annotations)
