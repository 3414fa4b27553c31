"""Which interface NCCL's bootstrap and Gloo use."""

import re
from collections.abc import Iterator

from bedplate.policies.facts import Facts
from bedplate.policies.resources.pod import Pod
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import text

SCRIPTED = ("tcpxo", "gib")
"""Fabrics whose variables come from a script of GKE's node image."""
SECONDARY = re.compile(r"(net|ib)\d+")


def _named(pod: Pod) -> Iterator[tuple[str, str]]:
    """Interfaces that a variable names, without those that it excludes."""
    for variable in ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"):
        value = text(pod.env.get(variable))
        if not value.startswith("^"):
            yield from ((variable, name) for name in value.removeprefix("=").split(",") if name)


def _fix(pod: Pod) -> str:
    """On the host's network the pod has the node's interfaces, of which none need be called eth0."""
    return "Set NCCL_SOCKET_IFNAME to the node's own interface" if pod.host_network else ""


def _attached(pod: Pod) -> set[str]:
    """Interfaces that the networks annotation makes: net1, net2, or as named."""
    return {network.interface or f"net{place}" for place, network in enumerate(pod.networks, start=1)}


@rule("NCCL-304", MANDATORY, also=ADVISORY, on=Pod)
def interface_exists(pod: Pod, _: Facts) -> Complaints:
    """Multus names interfaces net1, net2: a pod has only those that its annotation makes, and always eth0.

    The bootstrap needs a routable interface, not a fast one.
    """
    if pod.host_network or pod.partial or not pod.marks_known or "hostNetwork" in pod.spec:
        return
    for variable, name in _named(pod):
        if name in _attached(pod):
            yield Complaint(f"{variable} is {name}, a secondary network", severity=ADVISORY)
        elif SECONDARY.fullmatch(name):
            yield f"{variable} is {name}, which no network of the pod makes"


@rule("NCCL-305", ADVISORY, on=Workload)
def interface_is_named(workload: Workload, facts: Facts) -> Complaints:
    """With several interfaces in the pod an exclude list is fragile and no list is a lottery."""
    if facts.fabric in SCRIPTED:
        return
    for pod in workload.gpu_pods if workload.multi_node else ():
        value = pod.env.get("NCCL_SOCKET_IFNAME")
        if pod.on_fabric and value is None and pod.env_known:
            yield Complaint(f"{pod.role or 'pod'} does not set NCCL_SOCKET_IFNAME", _fix(pod))
        elif pod.on_fabric and text(value).startswith("^"):
            what = f"{pod.role or 'pod'} sets NCCL_SOCKET_IFNAME to the exclude list {text(value)}"
            yield Complaint(what, _fix(pod))
