"""vLLM servers: sizes, names, places."""

import re

from bedplate.policies.facts import Facts
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pools import LARGEST_NODE, pools_of
from bedplate.policies.resources.servers import (
    QUANTIZED,
    SIZE,
    alone,
    line,
    model,
    number,
    option,
    plain,
    ranks,
    servers,
)
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import UNKNOWN, Tree, integer, items, whole

PORTS = ("VLLM_PORT", "VLLM_DP_MASTER_PORT", "VLLM_NIXL_SIDE_CHANNEL_PORT", "VLLM_MOONCAKE_BOOTSTRAP_PORT")
"""Variables that vLLM reads as a number, and that end as those which Kubernetes sets for a Service."""
HEADS = {
    r"llama-?(2|3(\.\d)?)-70b": 64,
    r"llama-?3\.1-405b": 128,
    r"llama-?(2-7b|3(\.\d)?-8b)": 32,
    r"mistral-7b|mixtral-8x7b": 32,
    r"qwen2\.5-72b": 64,
    r"qwen2\.5-7b": 28,
    r"qwen2\.5-(14|32)b": 40,
}
"""Attention heads by model: config.json of each model on its hub."""
BYTES = 2
ROOM_FOR_ACTIVATIONS = 1.1
DEFAULT_UTILIZATION = 0.9


@rule("INF-601", MANDATORY, also=ADVISORY, on=Workload)
def parallelism_is_gpus(workload: Workload, _: Facts) -> Complaints:
    """One server uses all the GPUs that its pods ask for; each GPU holds whole attention heads.

    With fewer GPUs than ranks it does not start; with more, some are idle, or for another stage of the same server. An
    operator's object may make a group of one template, and one with several templates is left alone.
    """
    for pod, container in servers(workload):
        total = pod.gpus if workload.kind != "LeaderWorkerSet" else _group_gpus(workload)
        known = pod.devices_known and plain(container) and whole(container) and alone(container)
        group = pod.completed and (len(workload.pods) > 1 or not whole(workload.resource.at("spec"), besides="env"))
        if total and known and ranks(container) != total and not group:
            what = f"serves over {ranks(container)} GPUs, the pods have {total}"
            unless = f"; right only if other pods of this {workload.resource.kind} serve with it"
            surely = ranks(container) > total and not pod.completed
            yield Complaint(what + (unless if pod.completed else ""), severity=None if surely else ADVISORY)
        heads = next((count for name, count in HEADS.items() if re.search(name, model(container).lower())), None)
        tensor = number(line(container), "--tensor_parallel_size", "-tp")
        if heads and tensor and heads % tensor:
            yield f"--tensor-parallel-size {tensor} does not divide the {heads} heads of {model(container)}"


def _group_gpus(workload: Workload) -> int:
    """GPUs of one group, 0 where that is not known: without a leader template all pods are workers."""
    if not workload.known:
        return 0
    return sum(pod.gpus * (integer(pod.replicas) or 1) for pod in workload.pods)


@rule("INF-609", MANDATORY, on=Stack)
def no_service_links(stack: Stack) -> Complaints:
    """Service variables of the namespace reach every pod that does not switch them off or set them itself.

    A headless Service has none, and what `envFrom` brings goes before them.

    Only names that with _PORT give a variable of vLLM's do harm: `vllm` does, `vllm-server` does not.
    """
    services = {
        (resource.namespace, variable): resource
        for resource in stack.of("Service")
        if (variable := _variable(resource))
    }
    for workload in stack.workloads:
        for pod, _ in servers(workload):
            linked = pod.spec.get("enableServiceLinks") in (None, True)
            known = whole([[container.get("env"), container.get("envFrom")] for container in pod.containers])
            known = known and not any(items(container.get("envFrom")) for container in pod.containers)
            for variable in PORTS if linked and known and not pod.completed else ():
                found = services.get((pod.resource.namespace, variable))
                if found and variable not in pod.env:
                    what = f"Service {found.object_name} sets {variable} and enableServiceLinks is not false"
                    yield Complaint(what, about=pod.resource)


def _variable(service: Resource) -> str:
    """The server's own variable that Kubernetes would set for a Service."""
    name = f"{service.object_name.upper().replace('-', '_')}_PORT"
    address = service.spec.get("clusterIP")
    headless = address is UNKNOWN or address == "None"
    return name if name in PORTS and service.group == "core" and not headless else ""


@rule("INF-610", ADVISORY, on=Workload)
def served_name(workload: Workload, _: Facts) -> Complaints:
    """Without a name the model is called by its path."""
    for _pod, container in servers(workload):
        named = option(line(container), "--served_model_name")
        if model(container).startswith("/") and named is None and whole([container.get("args")]):
            yield f"serves {model(container)} without --served-model-name"


@rule("INF-612", ADVISORY, on=Workload)
def weights_fit(workload: Workload, facts: Facts) -> Complaints:
    """Weights in 16 bit over the tensor-parallel GPUs, with a tenth more, leave room for the cache.

    Judged where the model's name tells its size and the profile its GPUs. A server of the profile the plan has reckoned
    by its precision, which no name tells.
    """
    for pod, container in () if _reckoned(workload.resource, facts) else servers(workload):
        found = SIZE.search(model(container))
        memory = [pool.gpu_memory_gb for pool in pools_of(pod, facts) if pool.gpu_memory_gb]
        known = plain(container) and whole([container.get("command"), container.get("args")])
        if not found or not memory or QUANTIZED.search(line(container)) or not known:
            continue
        share = float(found[1]) * BYTES * ROOM_FOR_ACTIVATIONS / _shards(container)
        room = float(option(line(container), "--gpu_memory_utilization") or DEFAULT_UTILIZATION) * max(memory)
        if share > room:
            yield f"{model(container)} takes {share:.0f} GB per GPU of {room:.0f} GB"


def _reckoned(resource: Resource, facts: Facts) -> bool:
    """Whether it is a server of the profile, or may be: a name that is not known yet is any."""
    named = (each.split("/") for each in facts.fitted)
    return any(resource.namespace in ("", space) and resource.object_name in ("", name) for space, name in named)


def _shards(container: Tree) -> int:
    tensor = number(line(container), "--tensor_parallel_size", "-tp") or 1
    return tensor * (number(line(container), "--pipeline_parallel_size", "-pp") or 1)


@rule("INF-615", ADVISORY, on=Workload)
def groups_on_fabric(workload: Workload, facts: Facts) -> Complaints:
    """A model larger than a node is served by a group of pods that start and restart together."""
    for pod, container in servers(workload):
        sizes = [pool.gpus_per_node for pool in pools_of(pod, facts)] or [LARGEST_NODE]
        if not plain(container) or ranks(container) <= max(sizes):
            continue
        if workload.kind != "LeaderWorkerSet":
            yield f"serves over {ranks(container)} GPUs as a {workload.resource.kind}; a node has {max(sizes)}"
        elif pod.devices_known and not pod.on_fabric and facts.fabric != "none":
            yield f"serves over {ranks(container)} GPUs and {pod.role} requests no fabric device"
