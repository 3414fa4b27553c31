"""Bounds of a namespace, and classes of priority."""

from collections.abc import Mapping

from bedplate.review.changes import Change
from bedplate.review.danger import Judgement
from bedplate.review.fields import Field
from bedplate.review.rules.amounts import share, shrinks
from bedplate.review.rules.rule import OBJECT, Kind, Rule, evicts, loses, nothing

QUOTA = "Kubernetes docs: resource quotas"
LIMITS = "Kubernetes docs: limit ranges"
PRIORITY = "Kubernetes docs: pod priority and preemption"


def bound(change: Change) -> Judgement:
    """A quota where none was: pods above it are refused from now on."""
    if change.fresh:
        return nothing("its namespace is new: nobody had more", QUOTA)
    return loses("a bound where none was: pods above it are refused", QUOTA)


RESOURCE_QUOTA = Kind(
    bound,
    nothing("a bound goes: the namespace may use more", QUOTA),
    {
        **OBJECT,
        "spec.hard.*": share(QUOTA, limit=True),
        "spec.scopeSelector.matchExpressions[].{scopeName,operator,values[]}": loses(
            "it counts other pods: some that were free of it are bound now", QUOTA
        ),
    },
    replaced=loses("it counts other pods: some that were free of it are bound now", QUOTA),
)


def asked(_: Change, field: Field) -> Judgement:
    """What a container may ask for: pods outside the bounds are refused when they are made."""
    least = ".min." in field.path
    swapped = Field(field.path, field.new, field.old) if least and None not in (field.old, field.new) else field
    narrower = shrinks(swapped, limit=True)
    if narrower is False:
        return nothing("containers may ask for more", LIMITS)
    return evicts("pods outside the new bounds are refused when they are made", LIMITS)


def limited(change: Change) -> Judgement:
    """Defaults harm nobody; bounds refuse."""
    limits = change.resource.spec.get("limits", [])
    if change.fresh or not any({"min", "max", "maxLimitRequestRatio"} & set(limit) for limit in limits):
        return nothing("asked only when a pod is made", LIMITS)
    return evicts("pods outside the bounds are refused when they are made", LIMITS)


LIMIT_RANGE = Kind(
    limited,
    nothing("asked only when a pod is made", LIMITS),
    {
        **OBJECT,
        "spec.limits[].{default,defaultRequest}.*": nothing("only pods that are made later get it", LIMITS),
        "spec.limits[].{min,max,maxLimitRequestRatio}.*": asked,
        "spec.limits[].type": evicts("the bounds hold for something else now", LIMITS),
    },
)

_KEPT = nothing("pods that run keep the number they were given", PRIORITY)
PRIORITY_CLASS = Kind(
    _KEPT,
    evicts("pods that name it are refused; what runs keeps its number", PRIORITY),
    {
        **OBJECT,
        "{description,globalDefault}": _KEPT,
    },
    replaced=_KEPT,
)
WORKLOAD_PRIORITY_CLASS = Kind(
    _KEPT,
    evicts("jobs that name it are refused; what runs keeps its number", "Kueue docs: workload priority class"),
    {
        **OBJECT,
        "{value,description}": nothing("workloads that exist keep their number", "Kueue docs: workload priority class"),
    },
    replaced=_KEPT,
)

RULES: Mapping[str, Rule] = {
    "ResourceQuota": RESOURCE_QUOTA,
    "LimitRange": LIMIT_RANGE,
    "PriorityClass": PRIORITY_CLASS,
    "WorkloadPriorityClass": WORKLOAD_PRIORITY_CLASS,
}
