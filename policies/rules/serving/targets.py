"""Whether an autoscaler finds what it is to scale."""

from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import Pod, requested
from bedplate.policies.resources.stack import Stack
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import Tree, dig, integer, text, tree, trees, whole

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


@rule("INF-618", ADVISORY, on=Stack)
def requests_to_compare_with(stack: Stack) -> Complaints:
    """A share of what containers request needs a request of each; a LimitRange may give one."""
    for scaler in stack.of("HorizontalPodAutoscaler"):
        kind, name = (text(scaler.at("spec", "scaleTargetRef", key)) for key in ("kind", "name"))
        scaled = stack.find(kind, name, scaler.namespace)
        workload = next((each for each in stack.workloads if each.resource is scaled), None)
        names = {text(dig(each, "resource", "name")) for each in trees(scaler.spec.get("metrics")) if _is_share(each)}
        for pod in workload.pods if workload and whole(scaler.props) else ():
            for container in pod.containers if whole(pod.spec) and not pod.completed else ():
                for amount in sorted(names - requested(container)):
                    what = f"scales by {amount}, of which container {text(container.get('name'))} requests none"
                    yield Complaint(what, about=scaler)


def _is_share(metric: Tree) -> bool:
    return dig(metric, "resource", "target", "averageUtilization") is not None


@rule("INF-619", ADVISORY, on=Stack)
def budgets_let_a_pod_go(stack: Stack) -> Complaints:
    """Judged where one workload beside a budget has its labels, with as many pods as it says itself."""
    for budget in stack.of("PodDisruptionBudget"):
        selector = tree(dig(budget.spec, "selector", "matchLabels") if whole(budget.spec) else None)
        mine = [pod for pod in stack.pods if selector and _is_of(budget, pod, selector)]
        count = integer(mine[0].replicas) if len(mine) == 1 else None
        least = budget.spec.get("minAvailable")
        if count and (least == "100%" or (integer(least) or 0) >= count or budget.spec.get("maxUnavailable") == 0):
            yield Complaint(f"lets none of the {count} pods of {mine[0].title} go", about=budget)


def _is_of(budget: Resource, pod: Pod, selector: Tree) -> bool:
    same = pod.resource.kind in SCALED and pod.resource.namespace == budget.namespace
    return same and pod.marks_known and all(pod.labels.get(key) == value for key, value in selector.items())
