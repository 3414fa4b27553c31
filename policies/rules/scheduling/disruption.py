"""Long jobs survive the autoscaler."""

from bedplate.components.platforms import CLOUDS
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, Complaint, Complaints, rule
from bedplate.policies.values import UNKNOWN

KEEP = {
    "karpenter.sh/do-not-disrupt": "true",
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
}


def _kept(workload: Workload) -> bool:
    return any(pod.annotations.get(key) in (value, UNKNOWN) for pod in workload.gpu_pods for key, value in KEEP.items())


@rule("SCH-419", ADVISORY, on=Stack)
def protected_jobs(stack: Stack) -> Complaints:
    """On clouds a multi-node job says that its pods must stay, or its namespace has a PodDisruptionBudget."""
    if stack.facts.platform not in CLOUDS or not stack.named("PodDisruptionBudget"):
        return
    guarded = {budget.namespace for budget in stack.of("PodDisruptionBudget")}
    for workload in stack.jobs():
        known = all(pod.marks_known and not pod.partial for pod in workload.gpu_pods)
        if workload.finite and known and not _kept(workload) and workload.resource.namespace not in guarded:
            yield Complaint("has neither annotation nor disruption budget", about=workload.resource)
