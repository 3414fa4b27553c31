"""Queues, flavors, node pools, taints and tolerations that exclude one another."""

from decimal import Decimal

from bedplate.catalog.machines import of_type
from bedplate.policies.facts import Facts, Taint
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import GPU, Pod, asked
from bedplate.policies.resources.pools import tolerated
from bedplate.policies.resources.selectors import Requirement
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import dig, integer, quantity, text, texts, tree, trees, whole

WELL_KNOWN = ("kubernetes.io", "k8s.io", "k8s.aws", "amazonaws.com", "karpenter", "azure.com", "gke.io")
"""What is in the labels that nodes get by themselves."""


MACHINE = "node.kubernetes.io/instance-type"


def _taints(found: object) -> list[Taint]:
    stated = ({part: text(each.get(part)) for part in ("key", "value", "effect")} for each in trees(found))
    return [Taint(**each) for each in stated]


@rule("SCH-426", ADVISORY, on=("ResourceFlavor",))
def flavors_keep_their_taints(flavor: Resource, _: Facts) -> Complaints:
    """Kueue takes a flavor's own tolerations for those of each pod before it looks at the flavor's taints."""
    for taint in _taints(flavor.spec.get("nodeTaints")) if whole(flavor.spec) else ():
        if taint.effect and tolerated(taint, trees(flavor.spec.get("tolerations"))):
            yield f"tolerates its own taint {taint.key}:{taint.effect}"


def _least(job: Resource, pods: tuple[Pod, ...]) -> list[Pod] | None:
    """The pods that must run at once: all, where the job asks for all; None where it starts with fewer."""
    counts = [integer(pod.replicas) for pod in pods]
    total = sum(count or 0 for count in counts)
    least = job.spec.get("minAvailable")
    fewer = any("minAvailable" in task for task in trees(job.spec.get("tasks")))
    return list(pods) if None not in counts and not fewer and (integer(least) or total) >= total else None


def _requested(pods: list[Pod], name: str) -> Decimal:
    return sum(
        (
            (quantity(asked(container).get(name)) or Decimal(0)) * (integer(pod.replicas) or 0)
            for pod in pods
            for container in pod.containers
        ),
        Decimal(0),
    )


@rule("SCH-427", MANDATORY, on=Stack)
def volcano_queue_has_room(stack: Stack) -> Complaints:
    """All pods of a Volcano job that starts with all of them fit the capability of its queue."""
    for workload in stack.workloads:
        job = workload.resource
        queue = stack.find("Queue", text(job.spec.get("queue"))) if job.group == "batch.volcano.sh" else None
        ours = queue and queue.group == "scheduling.volcano.sh" and stack.deployed_together(queue, job)
        pods = _least(job, workload.pods) if ours and workload.known else None
        room = tree(queue.spec.get("capability") if queue and whole(queue.spec) else None)
        for name in room if pods else ():
            requested, most = _requested(pods or [], name), quantity(room[name])
            if most is not None and requested > most:
                what = f"asks for {requested:f} {name} at once, {queue.title if queue else ''} has at most {most:f}"
                yield Complaint(what, about=job)


def _refused(pool: Resource, pod: Pod) -> str:
    """What a pod asks for that no node of a pool can have; empty where one may."""
    labels = tree(dig(pool.spec, "template", "metadata", "labels"))
    stated = {
        text(each.get("key")): Requirement(
            text(each.get("key")), text(each.get("operator")), tuple(texts(each.get("values")))
        )
        for each in trees(dig(pool.spec, "template", "spec", "requirements"))
    }
    machines = [of_type(name) for name in stated[MACHINE].values] if MACHINE in stated else []
    largest = max((machine.gpus for machine in machines if machine), default=0)
    if machines and None not in machines and pod.requests(GPU).get("nvidia.com/gpu", 0) > largest:
        return f"a machine with {pod.gpus} GPUs"
    selector = tree(pod.spec.get("nodeSelector"))
    for key, value in selector.items():
        unknown = key not in labels and key not in stated and not any(each in key for each in WELL_KNOWN)
        other = key in labels and labels[key] != value
        if unknown or other or (key in stated and key not in labels and not stated[key].meets({key: value})):
            return f"{key}={text(value)}"
    return ""


@rule("SCH-428", ADVISORY, on=Stack)
def node_pools_make_the_node(stack: Stack) -> Complaints:
    """Judged where a pod tolerates the taint of a NodePool beside it, so that it is surely meant for one."""
    pools = stack.of("NodePool", group="karpenter.sh")
    for workload in stack.workloads if whole([each.props for each in pools]) else ():
        for pod in workload.pods:
            yield from _placed(stack, workload, pod, [each for each in pools if _meant(each, pod)])


def _meant(pool: Resource, pod: Pod) -> bool:
    taints = _taints(dig(pool.spec, "template", "spec", "taints"))
    return bool(taints) and all(tolerated(taint, trees(pod.spec.get("tolerations"))) for taint in taints)


def _placed(stack: Stack, workload: Workload, pod: Pod, pools: list[Resource]) -> Complaints:
    beside = [pool for pool in pools if stack.deployed_together(pool, workload.resource)]
    reasons = [_refused(pool, pod) for pool in beside] if whole(pod.spec) and not pod.completed else []
    if reasons and all(reasons):
        said = "; ".join(f"{pool.title} has not {why}" for pool, why in zip(beside, reasons, strict=True))
        yield Complaint(f"asks for a node that no NodePool makes: {said}", about=workload.resource)
