"""The shape of a GPU pod: shared memory, quality of service, whole nodes."""

import re
from collections.abc import Iterator
from decimal import Decimal

from bedplate.policies.facts import Facts
from bedplate.policies.resources.pod import SHM, Pod, argv, asked
from bedplate.policies.resources.pools import pools_of
from bedplate.policies.resources.servers import serves, tensor_parallel
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import Tree, dig, quantity, text, tree, whole

SHM_SHARE = Decimal("0.5")
"""Shared memory counts against the container's limit: half of it leaves room for the processes."""
CORES_PER_GPU = 4
WHOLE = re.compile(r"nvidia\.com/gpu")
GIB = 2**30
ALONE = re.compile(r"nvbandwidth|gpu[-_]?burn|dcgmproftester|nvidia-smi|vectoradd|deviceQuery|^(\S*/)?sleep\b")
"""Programs whose processes do not talk to each other through shared memory."""
PARALLEL = re.compile(r"--(tensor|pipeline)[-_](model[-_])?parallel[-_]size[= ](?!1\b)\d+")


def _gpu_containers(pod: Pod) -> Iterator[tuple[str, Tree]]:
    for container in pod.gpu_containers:
        yield text(container.get("name")), container


def _shm(pod: Pod, container: Tree) -> Tree | None:
    """The memory volume at /dev/shm."""
    volume = pod.mounted(container, SHM)
    return tree(volume.get("emptyDir")) if volume and dig(volume, "emptyDir", "medium") == "Memory" else None


def _places_known(pod: Pod, container: Tree) -> bool:
    marks = whole(pod.resource.at("metadata")) and whole(pod.metadata)
    return marks and not pod.partial and whole(pod.spec.get("volumes")) and whole(container.get("volumeMounts"))


@rule("NCCL-310", ADVISORY, also=MANDATORY, on=Workload)
def shared_memory(workload: Workload, _: Facts) -> Complaints:
    """Ranks of one node exchange data through /dev/shm: every container with several GPUs, or of a multi-node job.

    A tensor-parallel vLLM does so at every step, and also one with a single GPU needs 160 MB for its own messages;
    KubeRay mounts the volume itself, CRI-O makes it larger by an annotation, and programs without ranks (nvbandwidth,
    gpu-burn) do without.
    """
    for pod in workload.gpu_pods if workload.resource.group != "ray.io" else ():
        several = pod.gpus > 1 or workload.multi_node
        if pod.spec.get("hostIPC") not in (None, False) or any(map(ALONE.search, pod.lines)):
            continue
        for name, container in _gpu_containers(pod):
            known = _places_known(pod, container) and whole([container.get("command"), container.get("args")])
            if known and not pod.shares_memory(container) and (several or serves(container)):
                parallel = pod.gpus > 1 and serves(container) and tensor_parallel(container)
                what = f"{pod.role} container {name} has {pod.gpus} GPUs and no volume at {SHM}".strip()
                yield Complaint(what, severity=MANDATORY if parallel else None)


@rule("NCCL-311", ADVISORY, on=Pod)
def shared_memory_fits(pod: Pod, _: Facts) -> Complaints:
    """A memory volume has a size, and leaves the processes at least as much; without a limit nothing is counted."""
    for name, container in _gpu_containers(pod):
        volume = _shm(pod, container)
        if volume is None:
            continue
        limit = quantity(dig(container, "resources", "limits", "memory"))
        size = quantity(volume.get("sizeLimit"))
        if limit and volume.get("sizeLimit") is None:
            yield f"container {name}: {SHM} has no sizeLimit"
        elif size and limit and size > SHM_SHARE * limit:
            yield f"container {name}: {SHM} is {size / GIB:.0f}Gi of a memory limit of {limit / GIB:.0f}Gi"


@rule("NCCL-312", ADVISORY, on=Workload)
def guaranteed(workload: Workload, facts: Facts) -> Complaints:
    """A container that limits its memory requests as much of it; training has cores to feed its GPUs.

    No limit is no fault: without one nothing is throttled or killed for it. A slice or a share has its part of them.
    """
    for pod in workload.gpu_pods:
        if pod.partial:
            continue
        for container in pod.all_containers:
            limit, request = (dig(container, "resources", part, "memory") for part in ("limits", "requests"))
            if None not in (quantity(limit), quantity(request)) and quantity(request) != quantity(limit):
                name = text(container.get("name"))
                yield f"{pod.role} container {name} has memory request {request} and limit {limit}".strip()
        cores = [quantity(asked(container).get("cpu")) for container in pod.containers]
        total = sum(each or 0 for each in cores)
        pools = pools_of(pod, facts)
        shared = pools and all(pool.time_slicing > 1 for pool in pools)
        gpus = sum(pod.requests(WHOLE).values()) + pod.claimed
        if workload.finite and not shared and None not in cores and total < CORES_PER_GPU * gpus:
            yield f"{pod.role or 'pod'} has {float(total):g} cores for {gpus} GPUs"


@rule("NCCL-316", ADVISORY, on=Workload)
def whole_nodes(workload: Workload, facts: Facts) -> Complaints:
    """Tensor and pipeline parallelism over several nodes count on every GPU of each."""
    for pod in workload.gpu_pods if workload.multi_node else ():
        sizes = {pool.gpus_per_node for pool in pools_of(pod, facts)}
        parallel = any(PARALLEL.search(" ".join(argv(container))) for container in pod.containers)
        if parallel and sizes and pod.gpus not in sizes:
            yield f"{pod.role or 'pod'} takes {pod.gpus} of a node's {max(sizes)} GPUs"
