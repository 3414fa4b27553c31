"""Which rule judges what: by the kind of the resource, and of a Helm release by its chart."""

from collections.abc import Mapping

from bedplate.review.changes import Change
from bedplate.review.danger import Danger, Judgement
from bedplate.review.rules import charts
from bedplate.review.rules.rule import Rule
from bedplate.review.rules.stated import document, fields, kinds

FILES = (
    *("admission", "monitoring", "network", "operators", "queues", "quotas"),
    *("rights", "serving", "storage", "tenancy", "workloads"),
)
_OBJECT = fields(document("common")["Object"], {})
BY_KIND: Mapping[str, Rule] = {kind: rule for name in FILES for kind, rule in kinds(name, _OBJECT).items()}
"""Kubernetes objects."""
BY_CLOUD_KIND: Mapping[str, Rule] = kinds("clouds", {})
"""Resources of clouds, and the providers: their names could be those of Kubernetes kinds."""


def judged(change: Change) -> Judgement:
    """What a change does; unknown where no rule is there for it."""
    return rule(change)(change)


def rule(change: Change) -> Rule:
    """The rule of the kind, or of the chart."""
    resource = change.resource
    if resource.kind == "Release":
        return charts.rule(resource.chart)
    rules = BY_KIND if resource.type.startswith(("kubernetes:", "pulumi-python:")) else BY_CLOUD_KIND
    return rules.get(resource.kind.removesuffix("Patch"), unknown)


def unknown(change: Change) -> Judgement:
    """The judgement of a kind without a rule: what is created may refuse or evict, as well as what changes or goes."""
    return Judgement(Danger.UNKNOWN, f"nothing here knows what a {change.what} of {change.resource.kind} does", "")
