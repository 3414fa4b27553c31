"""Pods of a group that work as one: who answers requests, and by which address they meet."""

import re

from bedplate.policies.facts import Facts
from bedplate.policies.resources.pod import Pod
from bedplate.policies.resources.selectors import selects
from bedplate.policies.resources.servers import line
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, Complaint, Complaints, rule
from bedplate.policies.rules.network.reach import beside_of, labels_of, selector_of
from bedplate.policies.values import integer

GROUP = "leaderworkerset.sigs.k8s.io/"
"""What starts the labels by which a selector tells leaders from workers."""
OF_A_RANK = re.compile(r"--nnodes|--node-rank|--headless|\bray start --address")
"""Options of a server whose other pods answer nothing."""
OWN_ADDRESS = re.compile(r"\bhostname -[iI]\b")


def _silent(pod: Pod) -> bool:
    """Whether pods of a template are ranks that answer no requests and are ready all the same."""
    ranks = [each for each in pod.containers if OF_A_RANK.search(line(each))]
    return bool(ranks) and all(each.get("readinessProbe") is None for each in ranks)


def _of_many(workload: Workload) -> bool:
    size = integer(workload.resource.at("spec", "leaderWorkerTemplate", "size"))
    return size is not None and size > 1


@rule("NET-235", ADVISORY, on=Stack)
def leaders_answer(stack: Stack) -> Complaints:
    """A Service of a group whose ranks share one server selects leaders alone."""
    for service in stack.of("Service"):
        selector = selector_of(service)
        told = any(each.key.startswith(GROUP) for each in selector) or service.spec.get("clusterIP") == "None"
        for workload in filter(_of_many, beside_of(stack, service) if selector and not told else ()):
            workers = [pod for pod in workload.pods if pod.role == "worker" and _silent(pod)]
            if any(selects(selector, labels_of(pod)) for pod in workers):
                what = f"selects the workers of {workload.title} as well, which answer no requests"
                yield Complaint(what, about=service)


@rule("NET-237", ADVISORY, on=Pod)
def own_address(pod: Pod, _: Facts) -> Complaints:
    """On the host's network a pod has every address of the node: the API names one, or the way to the other pod."""
    if pod.host_network and pod.gpus and any(OWN_ADDRESS.search(each) for each in pod.lines):
        yield f"{pod.role or 'pod'} has hostNetwork and takes its address from hostname"
