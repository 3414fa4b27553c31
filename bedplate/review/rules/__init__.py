"""Which rule judges what: by the kind of the resource, and of a Helm release by its chart."""

from collections.abc import Mapping

from bedplate.review.changes import Change
from bedplate.review.danger import Danger, Judgement
from bedplate.review.rules import (
    admission,
    charts,
    cloud,
    monitoring,
    network,
    operators,
    queues,
    quotas,
    rights,
    serving,
    storage,
    tenancy,
    workloads,
)
from bedplate.review.rules.rule import Rule

BY_KIND: Mapping[str, Rule] = {
    **admission.RULES,
    **monitoring.RULES,
    **network.RULES,
    **operators.RULES,
    **queues.RULES,
    **quotas.RULES,
    **rights.RULES,
    **serving.RULES,
    **storage.RULES,
    **tenancy.RULES,
    **workloads.RULES,
}
"""Kubernetes objects; those of clouds and the providers have names that could be the same."""


def judged(change: Change) -> Judgement:
    """What a change does; unknown where no rule is there for it."""
    return rule(change)(change)


def rule(change: Change) -> Rule:
    """Of the kind, or of the chart."""
    resource = change.resource
    if resource.kind == "Release":
        return charts.rule(resource.chart)
    rules = BY_KIND if resource.type.startswith(("kubernetes:", "pulumi-python:")) else cloud.RULES
    return rules.get(resource.kind.removesuffix("Patch"), unknown)


def unknown(change: Change) -> Judgement:
    """Said of everything that nobody thought of: what comes may refuse or evict as well as what changes or goes."""
    return Judgement(Danger.UNKNOWN, f"nothing here knows what a {change.what} of {change.resource.kind} does", "")
