"""Whether an autoscaler finds what it is to scale."""

from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.stack import Stack
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import Tree, text, tree, whole

SCALED = {"Deployment", "StatefulSet", "ReplicaSet"}
"""Kinds of the group apps that have a scale."""


def _beside(stack: Stack, scaler: Resource, name: str) -> list[Resource]:
    """What stands in the same file and can be meant by the name: of that name, or longer by a suffix."""
    return [
        each
        for each in stack.of(*sorted(SCALED))
        if each.file == scaler.file and each.namespace == scaler.namespace and each.object_name.startswith(name)
    ]


def _group(target: Tree) -> str:
    return text(target.get("apiVersion")).rpartition("/")[0]


@rule("INF-617", MANDATORY, also=ADVISORY, on=Stack)
def targets_exist(stack: Stack) -> Complaints:
    """Deployments and their like are of the group apps alone; a name or kind is judged by what stands beside it."""
    for scaler in stack.of("HorizontalPodAutoscaler"):
        target = tree(scaler.spec.get("scaleTargetRef"))
        kind, name = text(target.get("kind")), text(target.get("name"))
        if kind not in SCALED or not name or not whole(scaler.props):
            continue
        if _group(target) != "apps":
            yield Complaint(f"scales a {kind} of the API {target.get('apiVersion') or '(none)'}", about=scaler)
        near = _beside(stack, scaler, name)
        if near and not any((each.kind, each.object_name) == (kind, name) for each in near):
            what = f"scales {kind} {name}, beside which there is only {near[0].title}"
            yield Complaint(what, severity=ADVISORY, about=scaler)
