"""Whether there is a place for a pod at all: on the nodes that are declared, in the flavors of its queue."""

import re
from collections.abc import Iterator

from bedplate.policies.facts import Facts, Pool, Taint
from bedplate.policies.resources.kueue import chain, flavors
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import Pod
from bedplate.policies.resources.pools import pools_of, tolerated
from bedplate.policies.resources.stack import Stack
from bedplate.policies.rule import MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import text, tree, trees, whole

GPU = re.compile(r"nvidia\.com/gpu")


def _room(pool: Pool) -> int | None:
    """GPUs, or shares of them, that one node offers by that name; None where they are cut into slices."""
    return None if pool.mig else pool.units_per_node or pool.gpus_per_node * pool.time_slicing


@rule("SCH-424", MANDATORY, on=Pod)
def nodes_can_hold(pod: Pod, facts: Facts) -> Complaints:
    """Of the pools that the pod's own selector leaves; what an affinity says is not looked at."""
    requested = sum(pod.requests(GPU).values())
    pools = pools_of(pod, facts) if pod.devices_known else ()
    rooms = [_room(pool) for pool in pools]
    largest = max((room for room in rooms if room is not None), default=0)
    if rooms and None not in rooms and requested > largest:
        yield f"asks for {requested} GPUs, a node has at most {largest}"


def _refusal(flavor: Resource, pod: Pod) -> str:
    """Why Kueue does not take a flavor for a pod; empty where it does."""
    tolerations = [*trees(pod.spec.get("tolerations")), *trees(flavor.spec.get("tolerations"))]
    for each in trees(flavor.spec.get("nodeTaints")):
        taint = Taint(key=text(each.get("key")), value=text(each.get("value")), effect=text(each.get("effect")))
        if not tolerated(taint, tolerations):
            return f"has the taint {taint.key}"
    labels, selector = tree(flavor.spec.get("nodeLabels")), tree(pod.spec.get("nodeSelector"))
    other = next((key for key in selector if key in labels and labels[key] != selector[key]), "")
    return f"has {other}={text(labels[other])}" if other else ""


def _queued(stack: Stack) -> Iterator[tuple[Pod, list[Resource]]]:
    """Each pod of a queue with the queue's flavors, where all of them are declared and fully known."""
    for workload in stack.workloads:
        queue = chain(stack, workload.resource.namespace, workload.queue).cluster if workload.queue else None
        names = [text(each.get("name")) for each in flavors(queue)] if queue else []
        found = [each for each in (stack.find("ResourceFlavor", name) for name in names) if each]
        if queue and names and len(found) == len(names) and whole([queue.spec, *(each.spec for each in found)]):
            yield from ((pod, found) for pod in workload.pods if not (pod.completed or pod.partial) and whole(pod.spec))


@rule("SCH-425", MANDATORY, on=Stack)
def a_flavor_takes_it(stack: Stack) -> Complaints:
    """Each flavor's taints must be tolerated by the pod or the flavor, and its labels not contradict the selector."""
    for pod, found in _queued(stack):
        reasons = [_refusal(flavor, pod) for flavor in found]
        if all(reasons):
            said = "; ".join(f"{flavor.object_name} {reason}" for flavor, reason in zip(found, reasons, strict=True))
            yield Complaint(f"{pod.title} fits no flavor of its queue: {said}", about=pod.resource)
