"""Pods on the host's network."""

from bedplate.policies.facts import Facts
from bedplate.policies.resources.pod import Pod
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, Complaint, Complaints, Edit, rule
from bedplate.policies.values import integer

CLUSTER_DNS = "ClusterFirstWithHostNet"
NAMED = (".svc", "MASTER_ADDR", "--rdzv", "--master_addr", "ray start --address", "VC_", "mpirun")
"""What shows that a pod looks for another one by name."""


def _meets_by_name(workload: Workload, pod: Pod) -> bool:
    several = sum(integer(each.replicas) or 1 for each in workload.pods) > 1
    said = " ".join([*pod.lines, *pod.env])
    return (workload.finite and several) or any(word in said for word in NAMED)


@rule(
    "NET-226",
    "Pods on the host's network ask the cluster's DNS",
    ADVISORY,
    on=Workload,
    why="With the default policy they ask the node's DNS, which knows no Service: ranks cannot resolve each other",
    fix=f"Set dnsPolicy: {CLUSTER_DNS}",
    source="volcano-sh/volcano#778; kubernetes/kubernetes#35761; Kubernetes documentation on DNS policies",
)
def resolves_on_host(workload: Workload, _: Facts) -> Complaints:
    """ClusterFirst means the node's DNS for a pod with hostNetwork."""
    for pod in workload.pods:
        if pod.host_network and pod.spec.get("dnsPolicy") in (None, "ClusterFirst") and _meets_by_name(workload, pod):
            edits = (Edit(pod.spec, "dnsPolicy", CLUSTER_DNS),)
            yield Complaint(f"{pod.role or 'pod'} has hostNetwork and dnsPolicy ClusterFirst", edits=edits)
