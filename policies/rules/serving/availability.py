"""Rollouts, disruptions and the way in."""

from bedplate.policies.facts import Facts
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, Complaint, Complaints, rule
from bedplate.policies.values import dig, integer, text, tree, whole

RETIRED = "nginx"


@rule("INF-608", ADVISORY, on=Workload)
def rollout_fits(workload: Workload, facts: Facts) -> Complaints:
    """A GPU Deployment surges only where the profile says that enough GPUs are free."""
    strategy = workload.resource.at("spec", "strategy")
    if workload.resource.kind != "Deployment" or facts.spare_gpus is None or not whole(strategy):
        return
    surges = dig(strategy, "type") != "Recreate" and dig(strategy, "rollingUpdate", "maxSurge") not in (0, "0", "0%")
    for pod in workload.gpu_pods:
        if surges and pod.gpus > facts.spare_gpus:
            yield f"surges by {pod.gpus} GPUs, {facts.spare_gpus} are free"


@rule("INF-613", ADVISORY, on=Stack)
def disruption_budget(stack: Stack) -> Complaints:
    """GPU Deployments with two or more replicas have a budget that lets one pod go."""
    budgets = stack.of("PodDisruptionBudget")
    known = stack.named("PodDisruptionBudget") and all(whole(budget.at("spec")) for budget in budgets)
    for workload in stack.workloads:
        replicas = integer(workload.resource.spec.get("replicas")) or 1
        if workload.resource.kind != "Deployment" or replicas < 2 or not workload.gpu_pods:  # noqa: PLR2004 (a pair)
            continue
        mine = [budget for budget in budgets if _guards(budget, workload)]
        if not mine and known and workload.resource.namespace and workload.pods[0].marks_known:
            yield Complaint(f"has {replicas} replicas and no PodDisruptionBudget", about=workload.resource)
        for budget in mine:
            if integer(budget.spec.get("minAvailable")) == replicas:
                yield Complaint(f"minAvailable {replicas} lets no pod of {workload.title} go", about=budget)


def _guards(budget: Resource, workload: Workload) -> bool:
    if budget.namespace != workload.resource.namespace:
        return False
    wanted = tree(dig(budget.spec, "selector", "matchLabels"))
    labels = workload.pods[0].labels
    return bool(wanted) and all(labels.get(key) == value for key, value in wanted.items())


@rule("INF-614", ADVISORY, on=("Ingress",))
def maintained_ingress(ingress: Resource, _: Facts) -> Complaints:
    """No Ingress names the retired controller, by class or by annotation."""
    if text(ingress.spec.get("ingressClassName")) == RETIRED:
        yield f"ingressClassName is {RETIRED}"
    if any(key.startswith("nginx.ingress.kubernetes.io/") for key in ingress.annotations):
        yield "has annotations of ingress-nginx"
