"""Quota against what is there."""

import re
from collections import defaultdict

from bedplate.policies.facts import Facts, Pool
from bedplate.policies.resources.kueue import GPU, chain, flavors, gpu_quota
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import requested
from bedplate.policies.resources.pools import pools_of, untolerated
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import Tree, integer, text, tree, whole

WHOLE = re.compile(re.escape(GPU))
"""Slices have quotas of their own, by their own names."""


def _capacity(flavor: Resource, facts: Facts) -> int | None:
    """GPUs of the nodes that a flavor selects; None where a pool's size or a label is not known."""
    labels = tree(flavor.spec.get("nodeLabels"))
    pools = [pool for pool in facts.gpu_pools if _selected(pool, labels)]
    sizes = [pool.nodes * pool.gpus_per_node for pool in pools if pool.nodes is not None]
    return sum(sizes) if len(sizes) == len(pools) and pools else None


def _selected(pool: Pool, labels: Tree) -> bool:
    return all(pool.labels.get(key, pool.gpu_product) == value for key, value in labels.items())


@rule("SCH-409", MANDATORY, also=ADVISORY, on=Stack)
def quota_fits(stack: Stack) -> Complaints:
    """All nominal quotas of a flavor together are at most its nodes' GPUs, and no job is larger than it can borrow."""
    queues = stack.of("ClusterQueue")
    if not all(whole(queue.spec) for queue in queues):
        return
    totals: dict[str, int] = defaultdict(int)
    for queue in queues:
        for flavor in flavors(queue):
            totals[text(flavor.get("name"))] += gpu_quota(flavor, "nominalQuota")
    for flavor in stack.of("ResourceFlavor"):
        room = _capacity(flavor, stack.facts) if whole(flavor.spec) else None
        if room is not None and totals[flavor.object_name] > room:
            what = f"quotas add up to {totals[flavor.object_name]} GPUs, its nodes have {room}"
            yield Complaint(what, about=flavor)
    for workload in stack.workloads:
        yield from _never_admitted(stack, workload)


def _never_admitted(stack: Stack, workload: Workload) -> Complaints:
    queue = chain(stack, workload.resource.namespace, workload.queue).cluster if workload.queue else None
    cohort = text(queue.spec.get("cohortName")) if queue else ""
    if queue is None:
        return
    peers = [
        resource for resource in stack.of("ClusterQueue") if cohort and resource.spec.get("cohortName") == cohort
    ] or [queue]
    room = max((sum(_offer(peer, text(each.get("name"))) for peer in peers) for each in flavors(queue)), default=0)
    requested = sum(pod.requests(WHOLE).get(GPU, 0) * (integer(pod.replicas) or 1) for pod in workload.pods)
    if room and requested > room:
        what = f"asks for {requested} GPUs, ClusterQueue {queue.object_name} can give {room}"
        yield Complaint(what, "Ask for less or raise the quota", ADVISORY, workload.resource)


def _offer(queue: Resource, name: str) -> int:
    return sum(gpu_quota(flavor, "nominalQuota") for flavor in flavors(queue) if flavor.get("name") == name)


@rule("SCH-417", MANDATORY, on=Workload)
def tolerates_pool(workload: Workload, facts: Facts) -> Complaints:
    """A GPU pod can land on one of the pools that its labels select.

    Queued jobs are left alone: Kueue adds the tolerations of the flavor that it assigns. Ours have none, and a team's
    job without its own is refused when it is submitted (docs/teams.md). GKE and EKS add one for each extended resource
    that a pod asks for (kubernetes/kubernetes#55839).
    """
    added = facts.platform in {"gke", "eks", None}
    for pod in workload.gpu_pods:
        pools = pools_of(pod, facts)
        tolerations = pod.spec.get("tolerations")
        queued = workload.queue or not pod.marks_known
        if queued or not pools or not whole(tolerations) or not pod.devices_known:
            continue
        given = {key for container in pod.containers for key in requested(container)} if added else set[str]()
        left = [untolerated(pool, tolerations) for pool in pools]
        missing = [[taint for taint in taints if taint.key not in given] for taints in left]
        if all(missing):
            taint = missing[0][0]
            yield f"{pod.role or 'pod'} does not tolerate {taint.key}:{taint.effect} of pool {pools[0].name}"


BUILT_IN = {"system-cluster-critical", "system-node-critical"}


@rule("SCH-418", MANDATORY, also=ADVISORY, on=Stack)
def priority_exists(stack: Stack) -> Complaints:
    """A pod names a built-in class or one of the stack; in a folder without classes they are elsewhere."""
    classes = stack.of("PriorityClass")
    if not (stack.complete or classes) or not all(whole(each.at("metadata")) for each in classes):
        return
    names = BUILT_IN | {each.object_name for each in classes}
    for pod in stack.pods:
        name = text(pod.spec.get("priorityClassName"))
        if name and name not in names:
            what = f"{pod.role or 'pod'} has the unknown priority class {name}"
            yield Complaint(what, severity=stack.elsewhere, about=pod.resource)
