"""Whether a job that spans nodes really gets the fabric, and its image can use it."""

import re

from bedplate.catalog.gpus import near
from bedplate.policies.facts import Facts, Pool
from bedplate.policies.resources.devices import EFA
from bedplate.policies.resources.pod import Pod, asked, privileged, requested
from bedplate.policies.resources.pools import pools_of
from bedplate.policies.resources.release import Release
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import UNKNOWN, flatten, text, whole

ON_EFA = re.compile(r"FI_PROVIDER|FI_EFA_USE_DEVICE_RDMA|NCCL_PROTO")
TOPOLOGY_CHECK = "NVreg_GrdmaPciTopoCheckOverride=1"


def _host_devices(pod: Pod) -> bool:
    """A privileged pod on the host's network: it has every device of its node."""
    return pod.host_network and any(map(privileged, pod.containers))


def _access_known(pod: Pod) -> bool:
    contexts = [container.get("securityContext") for container in pod.containers]
    return whole([pod.spec.get("volumes"), pod.spec.get("hostNetwork"), contexts])


def _means_fabric(pod: Pod, facts: Facts) -> bool:
    """Whether the cluster has a fabric, or the pod shows that it counts on one."""
    if facts.fabric is not None:
        return facts.fabric != "none"
    verbs = any(name.startswith("NCCL_IB_") for name in pod.env) and pod.env.get("NCCL_IB_DISABLE") in (None, "0")
    return bool(pod.networks) or verbs


@rule("NCCL-313", MANDATORY, also=ADVISORY, on=Workload)
def asks_for_fabric(workload: Workload, facts: Facts) -> Complaints:
    """GPU pods of a multi-node job request a fabric device, by resource, by claim or by GKE's interfaces.

    Without a profile only pods that count on a fabric (NCCL_IB_* set, networks attached) are judged, as a hint.
    """
    severity = None if facts.fabric else ADVISORY
    for pod in workload.gpu_pods if workload.multi_node else ():
        claims = pod.spec.get("resourceClaims") is not None
        if pod.on_fabric or claims or _host_devices(pod) or not _means_fabric(pod, facts):
            continue
        if pod.devices_known and pod.marks_known and _access_known(pod):
            what = f"{pod.role or 'pod'} of a job over {workload.nodes} nodes requests no fabric device"
            yield Complaint(what, severity=severity)


@rule("NCCL-314", ADVISORY, also=MANDATORY, on=Pod)
def efa_share(pod: Pod, facts: Facts) -> Complaints:
    """A pod's share of the EFA devices is its share of the GPUs."""
    devices = pod.rdma.get(EFA)
    pools = [pool for pool in pools_of(pod, facts) if pool.efa_per_node]
    if devices is None or not pools or not pod.gpus or not pod.devices_known:
        return
    if any(pool.efa_per_node == devices * pool.gpus_per_node / pod.gpus for pool in pools):
        return
    pool = pools[0]
    share = (pool.efa_per_node or 0) * pod.gpus // pool.gpus_per_node
    beyond = all(devices > (resource.efa_per_node or 0) for resource in pools)
    if beyond or pod.gpus >= pool.gpus_per_node or devices > share:
        what = f"requests {devices} EFA devices with {pod.gpus} GPUs; {pool.shape or pool.name} has {share} for them"
        yield Complaint(what, f"Request {share}", MANDATORY if beyond else None)


@rule("NCCL-315", ADVISORY, on=Pod)
def efa_prerequisites(pod: Pod, _: Facts) -> Complaints:
    """aws-ofi-nccl chooses provider and protocol itself since 1.7; EFA's buffers live in huge pages."""
    if EFA not in pod.rdma:
        return
    if pod.devices_known and not any("hugepages-2Mi" in asked(container) for container in pod.containers):
        yield f"requests {EFA} without hugepages-2Mi"
    for name in sorted(pod.env):
        if ON_EFA.fullmatch(name):
            yield f"{name} is set on EFA"


def _joins(pool: Pool) -> bool:
    """NVLink joins its nodes."""
    gpu = near(pool.gpu_product)
    return gpu is not None and gpu.rack and (pool.nodes or 0) > 1


@rule("NCCL-317", MANDATORY, on=Stack)
def nvlink_domain(stack: Stack) -> Complaints:
    """Multi-node NVLink needs a ComputeDomain per job, and GPUDirect on Grace a module parameter."""
    if not any(map(_joins, stack.facts.gpu_pools)):
        return
    for workload in (job for job in stack.jobs() if job.multi_node):
        for pod in workload.gpu_pods:
            pools = pools_of(pod, stack.facts)
            if pod.spec.get("resourceClaims") is None and pod.devices_known and pools and all(map(_joins, pools)):
                what = f"{pod.role or 'pod'} on {pools[0].gpu_product} claims no ComputeDomain"
                yield Complaint(what, about=workload.resource)
    for release in stack.releases("gpu-operator"):
        yield from _topology_check(release, stack)


def _topology_check(release: Release, stack: Stack) -> Complaints:
    name = release.value("driver", "kernelModuleConfig", "name")
    if not release.switch("driver", "enabled", default=True) or name is UNKNOWN:
        return
    found = [resource for resource in stack.of("ConfigMap") if resource.object_name == text(name)]
    known = name is None or (bool(found) and whole([each.at("data") for each in found]))
    if known and not any(TOPOLOGY_CHECK in line for each in found for line in flatten(each.at("data"))):
        what = f"driver.kernelModuleConfig does not set {TOPOLOGY_CHECK}"
        yield Complaint(what, about=release.resource)


END = r"(?=[:@]|$)"
RAY = rf"(^|/)rayproject/ray(-ml)?{END}"
WITHOUT_VERBS = re.compile(rf"(^|/)pytorch/pytorch:[^@]*-runtime|{RAY}")
"""PyTorch's runtime images and Ray's own install none (dstackai/dstack#2712; ray-project/ray docker/base-deps)."""
WITHOUT_OFI = re.compile(rf"(^|/)pytorch/pytorch{END}|{RAY}|(^|/)vllm/vllm-openai{END}|(^|/)coreweave/nccl-tests{END}")
"""None of these installs AWS's plug-in (coreweave/nccl-tests Dockerfile); AWS's own Deep Learning Containers do."""


@rule("NCCL-318", ADVISORY, on=Pod)
def carries_library(pod: Pod, _: Facts) -> Complaints:
    """Images that are known to lack libibverbs, or aws-ofi-nccl where the devices are EFA's."""
    for container in pod.containers:
        devices, image = requested(container), text(container.get("image"))
        on_efa = EFA in devices
        lacks = WITHOUT_OFI if on_efa else WITHOUT_VERBS
        if any(map(pod.is_rdma, devices)) and lacks.search(image):
            yield f"{image} carries no {'aws-ofi-nccl' if on_efa else 'libibverbs'}"
