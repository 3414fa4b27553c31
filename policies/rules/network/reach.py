"""Whether Services, budgets and monitors reach the pods beside them: by labels, and by the names of ports."""

from collections.abc import Iterator

from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import Pod
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, Complaint, Complaints, rule
from bedplate.policies.values import UNKNOWN, Tree, dig, text, tree, trees, whole

SELECTING = {
    "Service": ("selector",),
    "PodDisruptionBudget": ("selector", "matchLabels"),
    "PodMonitor": ("selector", "matchLabels"),
    "NetworkPolicy": ("podSelector", "matchLabels"),
}
"""Kinds that select pods, and where their labels stand."""
PLAIN = {"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Pod"}
"""Kinds whose pods have the labels of their template, and few others; controllers of jobs and groups add many."""
ADDED = (
    *("statefulset.kubernetes.io/", "apps.kubernetes.io/", "pod-template-", "controller-revision-"),
    *("leaderworkerset.sigs.k8s.io/", "disaggregatedset.x-k8s.io/"),
)
"""What starts the labels that Kubernetes itself, or LWS, adds to such pods."""


def _labels(pod: Pod) -> Tree:
    """The labels that pods of a template carry."""
    return pod.resource.labels if pod.resource.kind == "Pod" else tree(pod.metadata.get("labels"))


def _wanted(resource: Resource) -> Tree:
    """The labels by which an object selects; none where it also selects otherwise, or where not all is known."""
    selector = tree(resource.spec.get(SELECTING[resource.kind][0]))
    plain = resource.kind == "Service" or "matchExpressions" not in selector
    return tree(dig(resource.spec, *SELECTING[resource.kind])) if plain and whole(resource.spec) else {}


def _matches(wanted: Tree, labels: Tree) -> bool:
    return all(labels.get(key) == value for key, value in wanted.items())


def _beside(stack: Stack, resource: Resource) -> list[Workload]:
    """The workloads of the same file and namespace; none where one is not fully known."""
    found = [workload for workload in stack.workloads if workload.resource.file == resource.file]
    known = all(pod.marks_known and whole(pod.spec) for each in found for pod in each.pods)
    return [each for each in found if each.resource.namespace == resource.namespace] if known else []


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
        wanted, beside = _wanted(resource), _beside(stack, resource)
        plain = {key: value for key, value in wanted.items() if not key.startswith(ADDED)}
        meant = [each for each in beside if _same(resource, each)]
        reached = any(_matches(plain, _labels(pod)) for each in beside for pod in each.pods)
        if len(meant) == 1 and not reached:
            labels = _labels(meant[0].pods[0])
            missed = ", ".join(f"{key}={text(value)}" for key, value in plain.items() if labels.get(key) != value)
            yield Complaint(f"selects {missed}, which the pods of {meant[0].title} do not have", about=resource)


@rule("NET-230", ADVISORY, on=Stack)
def monitors_find_services(stack: Stack) -> Complaints:
    """Judged where one Service stands in the same file and namespace, so that it is surely the one that is meant."""
    for monitor in stack.of("ServiceMonitor"):
        plain = whole(monitor.spec) and "matchExpressions" not in tree(monitor.spec.get("selector"))
        wanted = tree(dig(monitor.spec, "selector", "matchLabels") if plain else None)
        services = [each for each in stack.of("Service") if each.file == monitor.file]
        beside = [each for each in services if each.namespace == monitor.namespace]
        known = all(whole(each.at("metadata")) for each in services)
        if wanted and known and len(beside) == 1 and not _matches(wanted, beside[0].labels):
            missed = ", ".join(f"{key}={text(value)}" for key, value in wanted.items())
            yield Complaint(f"selects {missed}, which {beside[0].title} does not have", about=monitor)


def _same(resource: Resource, workload: Workload) -> bool:
    """Whether an object is by its name for a workload whose labels we know."""
    names = sorted((resource.object_name, workload.resource.object_name), key=len)
    return workload.kind in PLAIN and bool(names[0]) and names[1].startswith(names[0])


def _named(resource: Resource) -> Iterator[str]:
    """The names of ports that an object asks its pods for."""
    for port in trees(resource.spec.get("ports" if resource.kind == "Service" else "podMetricsEndpoints")):
        yield text(port.get("targetPort" if resource.kind == "Service" else "port"))


@rule("NET-228", ADVISORY, on=Stack)
def named_ports_exist(stack: Stack) -> Complaints:
    """Services and PodMonitors name ports of the pods beside them, ServiceMonitors those of the Services."""
    for resource in stack.of("Service", "PodMonitor"):
        wanted = _wanted(resource)
        pods = [pod for each in _beside(stack, resource) for pod in each.pods if _matches(wanted, _labels(pod))]
        for name in _named(resource) if wanted and pods else ():
            if name and name not in _ports(pods):
                yield Complaint(f"names the port {name}, which {pods[0].title} does not have", about=resource)
    for monitor in stack.of("ServiceMonitor"):
        wanted = tree(dig(monitor.spec, "selector", "matchLabels") if whole(monitor.spec) else None)
        services = [each for each in stack.of("Service") if each.namespace == monitor.namespace and whole(each.props)]
        chosen = [each for each in services if wanted and _matches(wanted, each.labels)]
        names = {text(port.get("name")) for each in chosen for port in trees(each.spec.get("ports"))}
        for name in (text(each.get("port")) for each in trees(monitor.spec.get("endpoints")) if chosen):
            if name and name not in names:
                yield Complaint(f"names the port {name}, which {chosen[0].title} does not have", about=monitor)


NAMES = {"name", "namespace", "ns"}
"""Labels that people take for the namespace's name, which Kubernetes writes as kubernetes.io/metadata.name alone."""


def _peers(policy: Resource) -> Iterator[Tree]:
    for way, side in (("ingress", "from"), ("egress", "to")):
        for part in trees(policy.spec.get(way)):
            yield from trees(part.get(side))


@rule("NET-231", ADVISORY, on=Stack)
def namespaces_have_the_label(stack: Stack) -> Complaints:
    """A policy takes a namespace's name by the label that has it, unless a Namespace beside it has another."""
    labels = [namespace.labels for namespace in stack.of("Namespace")]
    for policy in stack.of("NetworkPolicy"):
        for peer in _peers(policy) if whole(policy.spec) else ():
            for key, value in tree(dig(peer, "namespaceSelector", "matchLabels")).items():
                if key in NAMES and not any(each.get(key) in (value, UNKNOWN) for each in labels):
                    what = f"selects namespaces by the label {key}: {text(value)}, which none has by itself"
                    yield Complaint(what, about=policy)


@rule("NET-232", ADVISORY, on=Stack)
def monitors_are_read(stack: Stack) -> Complaints:
    """Judged where one Prometheus is declared: it reads the monitors with its labels alone."""
    found = stack.of("Prometheus", group="monitoring.coreos.com")
    readers = found if len(found) == 1 and whole(found[0].spec) else []
    for reader in readers:
        for kind, key in (("ServiceMonitor", "serviceMonitorSelector"), ("PodMonitor", "podMonitorSelector")):
            selector = tree(reader.spec.get(key))
            wanted = tree(selector.get("matchLabels")) if "matchExpressions" not in selector else {}
            for monitor in stack.of(kind):
                if whole(monitor.at("metadata")) and not _matches(wanted, monitor.labels):
                    missed = ", ".join(f"{name}={text(value)}" for name, value in wanted.items())
                    yield Complaint(f"has no label {missed}, by which {reader.title} selects", about=monitor)
