"""Where a job keeps its checkpoints, and its DeepSpeed arithmetic."""

import re
from collections.abc import Iterator
from dataclasses import replace

from bedplate.components.bounded_yaml import parsed_json
from bedplate.policies.facts import Facts
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pools import apart, together
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.volumes import claim, of_a_node, on_one_node
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import dig, flatten, integer, text, tree, whole

LASTING = ("persistentVolumeClaim", "nfs", "csi", "hostPath", "ephemeral", "cephfs", "lustre")
PROBE = re.compile(r"nccl[-_]?tests?\b|_perf\b|bench|verif|nvbandwidth|gpu[-_]?burn|ib_write_bw|smoke|sleep\b")
OBJECT_STORE = re.compile(r"(s3|gs|az|abfss?|oci)://|https?://\S*blob")


@rule("TRN-510", MANDATORY, also=ADVISORY, on=Stack)
def shared_checkpoints(stack: Stack) -> Complaints:
    """A multi-node job mounts claims that more than one node can mount."""
    for workload in stack.jobs():
        for name in sorted({name for pod in workload.gpu_pods for name in pod.claims}):
            found = claim(stack, workload.resource.namespace, name)
            reason = on_one_node(stack, found) if found and whole(found.at("spec")) else ""
            what = f"{workload.nodes} pods mount it but {reason}"
            if reason and found and (not of_a_node(found) or _on_nodes(workload, stack.facts)):
                yield Complaint(what, about=workload.resource)
            elif reason and not any(map(together, workload.gpu_pods)):
                unless = "right only where all of them are on one node"
                yield Complaint(f"{what}; {unless}", severity=ADVISORY, about=workload.resource)


def _on_nodes(workload: Workload, facts: Facts) -> bool:
    """Whether the job surely takes more than one node."""
    return any(apart(pod, workload.nodes, facts) for pod in workload.gpu_pods)


@rule("TRN-511", MANDATORY, also=ADVISORY, on=Stack)
def claims_resolve(stack: Stack) -> Complaints:
    """Pods name claims of their namespace; a claim without class has a volume to bind.

    In a folder without a claim of that name it is taken to be elsewhere, and where a namespace is left to whoever
    applies the manifests, or to a job of a cluster-wide runtime, there is nothing to compare.
    """
    claims = stack.of("PersistentVolumeClaim")
    known = all(whole(each.at("metadata")) for each in claims)
    for pod in stack.pods if known else ():
        place = pod.resource.namespace if stack.complete or pod.resource.placed else ""
        for name in pod.claims if place and not pod.resource.cluster_wide else ():
            judged = stack.complete or any(name == each.object_name and each.placed for each in claims)
            if judged and claim(stack, place, name) is None:
                what = f"{pod.role or 'pod'} mounts claim {name}, which is not in {pod.resource.namespace}"
                yield Complaint(what, about=pod.resource)
    volumes = {volume.object_name: volume for volume in stack.of("PersistentVolume")}
    free = [volume for volume in volumes.values() if text(volume.spec.get("storageClassName")) == ""]
    for each in claims if all(whole(volume.props) for volume in volumes.values()) else ():
        for complaint in _unbound(each, volumes.get(text(each.spec.get("volumeName"))), bool(free)):
            yield replace(complaint, severity=complaint.severity if stack.elsewhere else None)


def _unbound(each: Resource, bound: Resource | None, free: bool) -> Iterator[Complaint]:  # noqa: FBT001 (private, by position)
    name, volume = each.spec.get("storageClassName"), each.spec.get("volumeName")
    if not whole(each.at("spec")):
        return
    if bound and text(bound.spec.get("storageClassName")) != text(name) and name is not None:
        what = f"has class {text(name) or '(none)'}, its volume {bound.object_name} has another one"
        yield Complaint(what, "Give both the same storageClassName", about=each)
    if name == "" and not free and not (volume or each.spec.get("selector")):
        fix = "Leave storageClassName out for the default class, or name one"
        what = 'storageClassName "" asks for a volume made by hand, and there is none'
        yield Complaint(what, fix, ADVISORY, each)


@rule("TRN-512", ADVISORY, on=Workload)
def keeps_checkpoints(workload: Workload, _: Facts) -> Complaints:
    """A multi-node job mounts something that outlives its pods, or writes to an object store."""
    for pod in workload.gpu_pods if workload.multi_node and workload.finite else ():
        known = whole(pod.spec.get("volumes")) and not pod.partial and pod.env_known
        lasting = any(kind in volume for volume in pod.volumes.values() for kind in LASTING)
        remote = any(OBJECT_STORE.search(line) for line in [*pod.lines, *flatten(list(pod.env.values()))])
        named = whole(pod.resource.at("metadata", "name"))
        if known and named and not (lasting or remote or _measures(workload)):
            yield f"{pod.role or 'pod'} mounts nothing that outlives it"
            return


@rule("TRN-513", MANDATORY, on=Stack)
def deepspeed_batch(stack: Stack) -> Complaints:
    """The three sizes of a configuration and the world of the one job that mounts it agree."""
    for resource in stack.of("ConfigMap"):
        for value in tree(resource.at("data")).values():
            config = _json(value)
            sizes = [integer(dig(config, key)) for key in ("train_batch_size", "train_micro_batch_size_per_gpu")]
            accumulation = integer(dig(config, "gradient_accumulation_steps"))
            world = _world(stack, resource)
            total, micro = sizes
            if total is None or micro is None or accumulation is None or world is None:
                continue
            if total != micro * accumulation * world:
                what = f"train_batch_size {total} is not {micro} x {accumulation} x {world} GPUs"
                yield Complaint(what, about=resource)


def _measures(workload: Workload) -> bool:
    """Whether a job measures or verifies, by what it runs or is called: it has nothing to keep."""
    lines = [line for pod in workload.pods for line in pod.lines]
    return bool(PROBE.search(" ".join([workload.resource.object_name, *lines])))


def _json(value: object) -> object:
    try:
        return parsed_json(value) if isinstance(value, str) and value.lstrip().startswith("{") else None
    except ValueError:
        return None


def _world(stack: Stack, config: Resource) -> int | None:
    """GPUs of the only job that mounts a ConfigMap."""
    if not all(workload.known for workload in stack.workloads):
        return None
    worlds = {
        sum(pod.gpus * (integer(pod.replicas) or 1) for pod in workload.gpu_pods)
        for workload in stack.workloads
        if workload.gpu_pods and _mounts(workload, config)
    }
    return worlds.pop() if len(worlds) == 1 else None


def _mounts(workload: Workload, config: Resource) -> bool:
    volumes = [volume for pod in workload.pods for volume in pod.volumes.values()]
    named = [text(dig(volume, "configMap", "name")) for volume in volumes]
    return config.object_name in named and config.namespace == workload.resource.namespace
