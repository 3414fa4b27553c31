"""Whether Services, budgets and monitors reach the pods beside them: by labels, and by the names of ports."""

import re
from collections.abc import Iterator

from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import Pod
from bedplate.policies.resources.selectors import Requirement, listed, requirements, selects
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, Complaint, Complaints, rule
from bedplate.policies.values import Tree, integer, text, tree, trees, whole

NAME = re.compile(r"[a-z0-9-]+")
"""What a port may be called; anything else is for somebody to fill in."""
SELECTING = {
    "Service": "selector",
    "PodDisruptionBudget": "selector",
    "PodMonitor": "selector",
    "NetworkPolicy": "podSelector",
}
"""Kinds that select pods, and where."""
PLAIN = {"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Pod"}
"""Kinds whose pods have the labels of their template, and few others; controllers of jobs and groups add many."""
ADDED = (
    *("statefulset.kubernetes.io/", "apps.kubernetes.io/", "pod-template-", "controller-revision-"),
    *("leaderworkerset.sigs.k8s.io/", "disaggregatedset.x-k8s.io/", "ray.io/"),
)
"""What starts the labels that Kubernetes itself, LWS or KubeRay adds to such pods."""
RAY = "RayCluster"
RAY_LABELS = {"app.kubernetes.io/name": "kuberay", "app.kubernetes.io/created-by": "kuberay-operator"}
"""What KubeRay calls pods whose template says nothing else: labelPod of ray-operator/controllers/ray/common/pod.go."""


def labels_of(pod: Pod) -> Tree:
    """The labels that pods of a template carry."""
    own = tree(pod.metadata.get("labels"))
    if pod.resource.kind == RAY:
        return {**RAY_LABELS, **own}
    return pod.resource.labels if pod.resource.kind == "Pod" else own


def selector_of(resource: Resource) -> list[Requirement]:
    """What an object selects by; nothing where not all is known."""
    selector = resource.spec.get(SELECTING.get(resource.kind, "selector"))
    known = selector if whole(resource.spec) else None
    return requirements({"matchLabels": known} if resource.kind == "Service" else known)


def beside_of(stack: Stack, resource: Resource) -> list[Workload]:
    """The workloads of the same file and namespace; none where one is not fully known."""
    return stack.beside.get((resource.file, resource.namespace), [])


def _ports(pods: list[Pod]) -> set[str]:
    return {
        text(port.get("name"))
        for pod in pods
        for container in pod.all_containers
        for port in trees(container.get("ports"))
    }


@rule("NET-227", ADVISORY, on=Stack)
def selectors_find_pods(stack: Stack) -> Complaints:
    """Judged where one workload of the same file has the object's name, so that it is surely the one that is meant."""
    for resource in stack.of(*SELECTING):
        selector, beside = selector_of(resource), beside_of(stack, resource)
        plain = [each for each in selector if not each.key.startswith(ADDED)]
        meant = [each for each in beside if _same(resource, each)]
        reached = any(selects(plain, labels_of(pod)) for each in beside for pod in each.pods)
        bare = resource.kind == "Service" and _without_selector(resource)
        if bare and any(each.resource.object_name == resource.object_name for each in meant):
            yield Complaint(f"has no selector, and so none of the pods of {meant[0].title}", about=resource)
        elif len(meant) == 1 and not reached:
            missed = listed(plain, labels_of(meant[0].pods[0]))
            yield Complaint(f"selects {missed}, which the pods of {meant[0].title} do not have", about=resource)


def _without_selector(service: Resource) -> bool:
    """Whether a Service leads to nothing but what somebody else writes as its endpoints."""
    return whole(service.spec) and not service.spec.get("selector") and service.spec.get("type") != "ExternalName"


@rule("NET-230", ADVISORY, on=Stack)
def monitors_find_services(stack: Stack) -> Complaints:
    """Judged where a Service of the same file and namespace is the only one, or the one with the monitor's name."""
    for monitor in stack.of("ServiceMonitor"):
        selector = selector_of(monitor)
        services = [each for each in stack.of("Service") if each.file == monitor.file]
        beside = [each for each in services if each.namespace == monitor.namespace]
        named = [each for each in beside if each.object_name == monitor.object_name]
        meant = beside if len(beside) == 1 else named
        known = all(whole(each.at("metadata")) for each in services)
        if selector and known and len(meant) == 1 and not any(selects(selector, each.labels) for each in beside):
            missed = listed(selector, meant[0].labels)
            yield Complaint(f"selects {missed}, which {meant[0].title} does not have", about=monitor)


def _numbers(pod: Pod) -> set[int | None]:
    """The ports that a pod names by number."""
    found = (trees(container.get("ports")) for container in pod.all_containers)
    return {integer(port.get("containerPort")) for ports in found for port in ports}


def _too_wide(service: Resource, pods: list[Pod]) -> Complaints:
    """A Service that selects pods of several workloads leads to a port that some of them name, and others do not."""
    for number in filter(None, (integer(port.get("targetPort")) for port in trees(service.spec.get("ports")))):
        have = [pod for pod in pods if number in _numbers(pod)]
        lack = [pod for pod in pods if number not in _numbers(pod) and _numbers(pod)]
        if have and lack:
            what = f"leads port {number} of {have[0].title} to {lack[0].title} as well, which has not that port"
            yield Complaint(what, about=service)


def _same(resource: Resource, workload: Workload) -> bool:
    """Whether an object is by its name for a workload whose labels we know."""
    short, long = sorted((resource.object_name, workload.resource.object_name), key=len)
    alike = long.startswith(short) or long.endswith(f"-{short}")
    return workload.kind in {*PLAIN, RAY} and bool(short) and alike


def _named(resource: Resource) -> Iterator[str]:
    """The names of ports that an object asks its pods for."""
    for port in trees(resource.spec.get("ports" if resource.kind == "Service" else "podMetricsEndpoints")):
        yield text(port.get("targetPort" if resource.kind == "Service" else "port"))


@rule("NET-228", ADVISORY, on=Stack)
def named_ports_exist(stack: Stack) -> Complaints:
    """Services and PodMonitors name ports of the pods beside them, ServiceMonitors those of the Services."""
    for resource in stack.of("Service", "PodMonitor"):
        selector = selector_of(resource)
        pods = [pod for each in beside_of(stack, resource) for pod in each.pods if selects(selector, labels_of(pod))]
        for name in _named(resource) if selector and pods else ():
            if NAME.fullmatch(name) and name not in _ports(pods):
                yield Complaint(f"names the port {name}, which {pods[0].title} does not have", about=resource)
        yield from _too_wide(resource, pods)
    for monitor in stack.of("ServiceMonitor"):
        selector = selector_of(monitor)
        services = [each for each in stack.of("Service") if each.namespace == monitor.namespace and whole(each.props)]
        chosen = [each for each in services if selector and selects(selector, each.labels)]
        names = {text(port.get("name")) for each in chosen for port in trees(each.spec.get("ports"))}
        for name in (text(each.get("port")) for each in trees(monitor.spec.get("endpoints")) if chosen):
            if name and name not in names:
                yield Complaint(f"names the port {name}, which {chosen[0].title} does not have", about=monitor)
