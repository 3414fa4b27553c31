"""Whom NetworkPolicies let in and out, and which monitors a Prometheus reads."""

import re
from collections.abc import Iterator
from itertools import combinations

from bedplate.policies.facts import Facts
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.selectors import Requirement, listed, requirements, selects
from bedplate.policies.resources.stack import Stack
from bedplate.policies.rule import ADVISORY, Complaint, Complaints, rule
from bedplate.policies.rules.network.reach import PLAIN, beside_of, labels_of, selector_of
from bedplate.policies.values import Tree, trees, whole

OWN_NAME = "kubernetes.io/metadata.name"
NAMES = {"name", "namespace", "ns"}
"""Labels that people take for the namespace's name, which Kubernetes writes as kubernetes.io/metadata.name alone."""


def _peers(policy: Resource) -> Iterator[Tree]:
    for way, side in (("ingress", "from"), ("egress", "to")):
        for part in trees(policy.spec.get(way)):
            yield from trees(part.get(side))


@rule("NET-231", ADVISORY, on=Stack)
def namespaces_have_the_label(stack: Stack) -> Complaints:
    """A policy takes a namespace's name by the label that has it, unless a Namespace beside it has another.

    Under whatever label, a value that is the name of a Namespace beside is meant as that.
    """
    namespaces = stack.of("Namespace")
    names = {each.object_name for each in namespaces}
    for policy in stack.of("NetworkPolicy"):
        for peer in _peers(policy) if whole(policy.spec) else ():
            for each in requirements(peer.get("namespaceSelector")):
                meant = each.key in NAMES or (each.key != OWN_NAME and names & {*each.values})
                if each.operator == "In" and meant and not any(_has(namespace, each) for namespace in namespaces):
                    said = f"{each.key}: {', '.join(each.values)}"
                    yield Complaint(f"selects namespaces by the label {said}, which none has by itself", about=policy)


def _has(namespace: Resource, requirement: Requirement) -> bool:
    return namespace.labels.get(requirement.key) is not None and requirement.meets(namespace.labels)


@rule("NET-233", ADVISORY, on=Stack)
def peers_exist(stack: Stack) -> Complaints:
    """A peer has the labels of the policy's own pods and more, which none of those pods has.

    So it is where a tool puts the labels of one component into every selector of its objects.
    """
    for policy in stack.of("NetworkPolicy"):
        own = selector_of(policy)
        pods = [labels_of(pod) for each in beside_of(stack, policy) for pod in each.pods]
        mine = [labels for labels in pods if own and selects(own, labels)]
        for peer in _peers(policy) if mine else ():
            selector = requirements(peer.get("podSelector"))
            more = {*own}.issubset(selector) and "namespaceSelector" not in peer
            known = whole([each.at("spec") for each in stack.of(*PLAIN)]) if more else False
            if known and not any(selects(selector, labels) for labels in pods):
                missed = listed(selector, mine[0])
                what = f"has a peer with {missed} and all labels of its own pods, which do not have that"
                yield Complaint(what, about=policy)


@rule("NET-232", ADVISORY, on=Stack)
def monitors_are_read(stack: Stack) -> Complaints:
    """Judged where one Prometheus is declared: it reads the monitors with its labels alone."""
    found = stack.of("Prometheus", group="monitoring.coreos.com")
    readers = found if len(found) == 1 and whole(found[0].spec) else []
    for reader in readers:
        for kind, key in (("ServiceMonitor", "serviceMonitorSelector"), ("PodMonitor", "podMonitorSelector")):
            selector = requirements(reader.spec.get(key))
            for monitor in stack.of(kind):
                if whole(monitor.at("metadata")) and not selects(selector, monitor.labels):
                    missed = listed(selector, monitor.labels)
                    yield Complaint(f"has no label {missed}, by which {reader.title} selects", about=monitor)


MONITORS = ("ServiceMonitor", "PodMonitor")
NO_LETTER = re.compile(r"[^a-zA-Z0-9]")
"""What becomes an underscore where Prometheus reads the name of a label."""


def _contrary(one: Requirement, other: Requirement) -> bool:
    """Whether one label cannot meet both, or one value of many is asked for beside any at all."""
    none = not any(other.meets({one.key: value}) for value in one.values)
    return one.key == other.key and (none or (one.values == ("",) and other.operator == "Exists"))


def _merged(one: Requirement, other: Requirement) -> bool:
    """Whether two labels are one to Prometheus, which then would have two values at once."""
    names = {NO_LETTER.sub("_", each.key) for each in (one, other)}
    return one.key != other.key and len(names) == 1 and {one.operator, other.operator} == {"In"}


@rule("NET-234", ADVISORY, on=(*MONITORS, "PodDisruptionBudget", "NetworkPolicy"))
def selectors_can_be_met(resource: Resource, _: Facts) -> Complaints:
    """What a selector asks of a label, and of labels that Prometheus takes for one, something can have."""
    for one, other in combinations(selector_of(resource), 2):
        if one.operator == "In" and _contrary(one, other):
            yield f"asks for {one} and for {other} at once"
        elif resource.kind in MONITORS and _merged(one, other) and not {*one.values} & {*other.values}:
            yield f"asks for {one} and for {other}, whose labels are one to Prometheus"


def _opens(policy: Resource, labels: list[Tree]) -> Iterator[Tree]:
    """The parts of a policy that let pods with these labels in."""
    for part in trees(policy.spec.get("ingress")):
        peers = [requirements(each.get("podSelector")) for each in trees(part.get("from"))]
        if not peers or any(selects(selector, each) for selector in peers for each in labels):
            yield part


@rule("NET-236", ADVISORY, on=Stack)
def ranks_talk_on_any_port(stack: Stack) -> Complaints:
    """Pods that work together let each other in on all ports, or on a range of them.

    Ray's workers and NCCL choose theirs as they start, unless a job pins them.
    """
    together = [each for each in stack.workloads if each.multi_node or each.kind.startswith("Ray")]
    for policy in stack.of("NetworkPolicy"):
        selector = selector_of(policy)
        for workload in (each for each in together if each.resource.namespace == policy.namespace):
            labels = [labels_of(pod) for pod in workload.pods if pod.marks_known]
            guarded = bool(selector) and any(selects(selector, each) for each in labels)
            parts = list(_opens(policy, labels)) if guarded else []
            narrow = [trees(each.get("ports")) for each in parts]
            if narrow and all(ports and not any("endPort" in port for port in ports) for ports in narrow):
                listed_ports = ", ".join(str(port.get("port")) for ports in narrow for port in ports)
                yield Complaint(f"lets the pods of {workload.title} talk on {listed_ports} alone", about=policy)
