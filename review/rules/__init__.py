"""Which rule judges what: by the kind of the resource, and of a Helm release by its chart."""

from collections.abc import Mapping

from review.changes import Change
from review.danger import Danger, Judgement
from review.rules import cloud, network, operators, queues, tenancy, workloads
from review.rules.rule import Rule

BY_KIND: Mapping[str, Rule] = {
    **operators.RULES,
    **network.RULES,
    **queues.RULES,
    **tenancy.RULES,
    **workloads.RULES,
}
"""Kubernetes objects; those of clouds and the providers have names that could be the same."""


def judged(change: Change) -> Judgement:
    """What a change does; unknown where no rule is there for it."""
    resource = change.resource
    if change.what == "update" and change.only("metadata.annotations"):
        return Judgement(Danger.NOTHING, "a note on the object only", "Kubernetes docs: annotations")
    if resource.kind == "Release":
        return operators.CHARTS.get(resource.chart, operators.release)(change)
    rules = BY_KIND if resource.type.startswith(("kubernetes:", "pulumi-python:")) else cloud.RULES
    return rules.get(resource.kind.removesuffix("Patch"), unknown)(change)


def unknown(change: Change) -> Judgement:
    """Said of everything that nobody thought of."""
    if change.what == "create":
        return Judgement(Danger.NOTHING, "it is new: nothing uses it yet", "this stack")
    return Judgement(Danger.UNKNOWN, f"nothing here knows what a {change.what} of {change.resource.kind} does", "")
