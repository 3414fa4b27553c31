"""What a pod needs to use the fabric from inside."""

import re
from collections.abc import Iterator

from bedplate.policies.facts import Facts
from bedplate.policies.resources.pod import Pod, capabilities, privileged, requested
from bedplate.policies.resources.pools import pools_of
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, Edit, rule
from bedplate.policies.values import Tree, dig, integer, text, whole

EXCLUSIVE = re.compile(r"(?!rdma/).*")
VERBS = "/dev/infiniband"


def _name(container: Tree) -> str:
    return f"container {text(container.get('name'))}"


def _with_rdma(pod: Pod) -> Iterator[tuple[Tree, str]]:
    for container in pod.containers:
        if device := next(filter(pod.is_rdma, sorted(requested(container))), ""):
            yield container, device


@rule("NET-217", ADVISORY, also=MANDATORY, on=Pod)
def may_lock_memory(pod: Pod, facts: Facts) -> Complaints:
    """The device plugin grants the devices; pinning memory for them needs IPC_LOCK as well.

    Images of EKS and Bottlerocket lift the limit for every process, so that it is proven only where the profile says
    that the nodes do not.
    """
    if pod.partial or facts.memlock_unlimited:
        return
    severity = MANDATORY if facts.memlock_unlimited is False else None
    for container, device in _with_rdma(pod):
        if "IPC_LOCK" in capabilities(container) or privileged(container):
            continue
        if whole(container.get("securityContext")):
            yield Complaint(f"{_name(container)} asks for {device} without IPC_LOCK", severity=severity)


@rule("NET-218", ADVISORY, on=Pod)
def memlock_for_users(pod: Pod, facts: Facts) -> Complaints:
    """Added capabilities do not reach users other than root, so their nodes must lift the limit."""
    if facts.memlock_unlimited:
        return
    for container, _ in _with_rdma(pod):
        contexts = (container.get("securityContext"), pod.spec.get("securityContext"))
        users = [dig(context, "runAsUser") for context in contexts if dig(context, "runAsUser") is not None]
        not_root = any(dig(context, "runAsNonRoot") is True for context in contexts)
        if not_root or (users and isinstance(users[0], int | float) and users[0] != 0):
            yield f"{_name(container)} uses RDMA and does not run as root"


@rule("NET-219", MANDATORY, also=ADVISORY, on=Stack)
def namespace_allows_locking(stack: Stack) -> Complaints:
    """The baseline and restricted levels both forbid the capability, which not every RDMA pod adds."""
    for pod in stack.pods:
        level = stack.strict(pod.resource.namespace) if pod.rdma else ""
        forbidden = any("IPC_LOCK" in capabilities(container) or privileged(container) for container in pod.containers)
        if level:
            what = f"asks for RDMA in namespace {pod.resource.namespace}: {level}"
            yield Complaint(what, severity=None if forbidden else ADVISORY, about=pod.resource)


@rule("NET-220", ADVISORY, on=Pod)
def no_host_devices(pod: Pod, _: Facts) -> Complaints:
    """Either a device plugin hands devices out, or a privileged pod takes the host's: not both, not half."""
    mounts = [name for name, each in pod.volumes.items() if text(dig(each, "hostPath", "path")).startswith(VERBS)]
    if mounts and pod.rdma:
        yield f"volume {mounts[0]} mounts {VERBS} beside {next(iter(pod.rdma))}"
    elif mounts and pod.containers and whole(pod.spec.get("containers")) and not any(map(privileged, pod.containers)):
        yield f"volume {mounts[0]} mounts {VERBS} but no container is privileged"


@rule("NET-221", MANDATORY, on=Pod)
def no_networks_on_host(pod: Pod, _: Facts) -> Complaints:
    """The annotation has no effect on a pod that uses the node's interfaces."""
    if pod.host_network and pod.networks:
        yield f"hostNetwork is true and {len(pod.networks)} networks are annotated"


@rule("NET-222", ADVISORY, on=Workload)
def rails_match_gpus(workload: Workload, facts: Facts) -> Complaints:
    """A pod that takes all GPUs of a node takes all its NICs too, unless one shared resource carries them all."""
    if not workload.multi_node:
        return
    for pod in workload.gpu_pods:
        exclusive = pod.requests(EXCLUSIVE)
        count = sum(number for name, number in exclusive.items() if pod.is_rdma(name))
        for pool in pools_of(pod, facts):
            if pool.nics_per_node and pod.gpus == pool.gpus_per_node and 0 < count < pool.nics_per_node:
                yield f"{pod.role or 'pod'} takes {pod.gpus} GPUs but {count} of {pool.nics_per_node} NICs"


@rule("NET-224", MANDATORY, on=Pod)
def roce_has_interface(pod: Pod, facts: Facts) -> Complaints:
    """RoCE addresses a peer by the IP of an interface in the same network namespace."""
    if facts.fabric != "roce" or pod.networks or pod.host_network or pod.partial or not pod.marks_known:
        return
    for device in pod.rdma:
        if device.startswith("rdma/") and pod.spec.get("hostNetwork") in (None, False):
            yield f"asks for {device} but is attached to no secondary network"


@rule("NET-225", ADVISORY, on=Pod)
def no_privileged_neighbours(pod: Pod, facts: Facts) -> Complaints:
    """`privileged` ignores which GPUs were assigned."""
    sizes = [pool.gpus_per_node for pool in pools_of(pod, facts)]
    if pod.gpus and sizes and pod.gpus < min(sizes) and any(map(privileged, pod.containers)):
        yield f"is privileged with {pod.gpus} of a node's {min(sizes)} GPUs"


NAMED = (".svc", "MASTER_ADDR", "--rdzv", "--master_addr", "ray start --address", "VC_", "mpirun")
"""What shows that a pod looks for another one by name."""


def _meets_by_name(workload: Workload, pod: Pod) -> bool:
    several = sum(integer(each.replicas) or 1 for each in workload.pods) > 1
    said = " ".join([*pod.lines, *pod.env])
    return (workload.finite and several) or any(word in said for word in NAMED)


@rule("NET-226", ADVISORY, on=Workload)
def resolves_on_host(workload: Workload, _: Facts) -> Complaints:
    """ClusterFirst means the node's DNS for a pod with hostNetwork."""
    for pod in workload.pods:
        if pod.host_network and pod.spec.get("dnsPolicy") in (None, "ClusterFirst") and _meets_by_name(workload, pod):
            edits = (Edit(pod.spec, "dnsPolicy", "ClusterFirstWithHostNet"),)
            yield Complaint(f"{pod.role or 'pod'} has hostNetwork and dnsPolicy ClusterFirst", edits=edits)
