"""Restarts and memory of long jobs, the service mesh, and names that become Services."""

import re

from bedplate.policies.facts import Facts
from bedplate.policies.resources.pools import pools_of
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.workloads import V1, Workload
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import dig, integer, quantity, text, whole

PARAMETERS = "bedplate.dev/model-parameters"
"""Annotation with the number of parameters of the model that a job trains: 70G."""
BYTES_PER_PARAMETER = 16
"""Weights and gradients in bf16, master weights and two Adam moments in fp32: ZeRO paper."""
USABLE = 0.8
GB = 1e9


def _no_restart(workload: Workload) -> str:
    spec, kind = workload.resource.spec, workload.kind
    if workload.resource.group == "batch" and integer(spec.get("backoffLimit")) == 0:
        return "backoffLimit is 0"
    if kind in {"PyTorchJob", "MPIJob"} and integer(dig(spec, "runPolicy", "backoffLimit")) == 0:
        return "runPolicy.backoffLimit is 0"
    if kind == "JobSet" and workload.resource.at("spec", "failurePolicy") is None:
        return "has no failurePolicy"
    always = [role for role in ("Master", "Worker") if _policy(workload, role) == "Always"]
    return f"{always[0]} has restartPolicy Always" if always else ""


def _policy(workload: Workload, role: str) -> object:
    return dig(workload.resource.spec, "pytorchReplicaSpecs", role, "restartPolicy")


@rule("TRN-509", ADVISORY, on=Workload)
def restart_budget(workload: Workload, _: Facts) -> Complaints:
    """Hardware fails; a run continues from its checkpoint if the job is allowed to start again."""
    if workload.multi_node and workload.finite and (reason := _no_restart(workload)):
        yield reason


@rule("TRN-514", ADVISORY, on=Workload)
def states_fit(workload: Workload, facts: Facts) -> Complaints:
    """With Adam in mixed precision a parameter takes 16 bytes over all shards, before any activation.

    Judged where a job says its size in the annotation bedplate.dev/model-parameters.
    """
    for pod in workload.gpu_pods if workload.finite else ():
        size = quantity(pod.annotations.get(PARAMETERS))
        memory = [pool.gpu_memory_gb for pool in pools_of(pod, facts) if pool.gpu_memory_gb]
        if not size or not memory or not workload.known:
            continue
        gpus = sum(each.gpus * (integer(each.replicas) or 1) for each in workload.gpu_pods)
        needed, room = float(size) * BYTES_PER_PARAMETER / GB, USABLE * max(memory) * gpus
        if needed > room:
            amount = text(pod.annotations.get(PARAMETERS))
            yield f"{amount} parameters take {needed:.0f} GB, {gpus} GPUs have {room:.0f} GB to spare"
        return


INJECT = "sidecar.istio.io/inject"
SERVICE_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")


@rule("TRN-519", ADVISORY, on=Stack)
def no_sidecar(stack: Stack) -> Complaints:
    """A namespace with injection gives every pod Istio's proxy unless the pod refuses it."""
    for workload in stack.workloads if stack.named("Namespace") else ():
        space = stack.namespace(workload.resource.namespace)
        injected = space is not None and space.labels.get("istio-injection") == "enabled"
        for pod in workload.pods if workload.finite else ():
            wish = text(pod.labels.get(INJECT)) or text(pod.annotations.get(INJECT))
            if pod.marks_known and not pod.partial and (wish == "true" or (injected and wish != "false")):
                yield Complaint(f"{pod.role or 'pod'} gets Istio's proxy", about=workload.resource)


@rule("TRN-520", MANDATORY, on=Workload)
def name_of_a_service(workload: Workload, _: Facts) -> Complaints:
    """Object names may begin with a digit and have dots; Services' may not."""
    name = workload.resource.metadata.get("name")
    plain = whole(name) and "$" not in text(name) and "{" not in text(name)
    if workload.kind in V1 and text(name) and plain and not SERVICE_NAME.fullmatch(text(name)):
        yield f"the name is {text(name)}"
