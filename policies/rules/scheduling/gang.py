"""All pods of a job or none: exactly one owner of that."""

import re

from bedplate.policies.facts import Facts
from bedplate.policies.resources.kueue import GANG_FLAGS, LABEL, TRAINING, arguments, flag
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import UNKNOWN, dig, integer, text, trees, whole

GANG_SCHEDULERS = {"volcano", "kai-scheduler", "scheduler-plugins-scheduler", "coscheduler"}
VOLCANO_GROUP = "scheduling.k8s.io/group-name"
COSCHEDULING = "scheduling.x-k8s.io/pod-group"
KAI_QUEUE = "kai.scheduler/queue"
GATES = re.compile(r"gke\.io/topology-aware|topology")
"""GKE's topology scheduler places the pods of a job at once: GoogleCloudPlatform/container-engine-accelerators."""
PROVISIONED = {
    "autoscaling.x-k8s.io/consume-provisioning-request",
    "cluster-autoscaler.kubernetes.io/consume-provisioning-request",
}
"""Nodes for all pods or none: Kubernetes autoscaler's ProvisioningRequest."""
RUNTIMES = ("TrainingRuntime", "ClusterTrainingRuntime")
BUILT_IN_RUNTIMES = ("torch-", "deepspeed-", "mlx-", "torchtune-")
"""Runtimes that the trainer ships, none of which has a podGroupPolicy: kubeflow/trainer 2.3 manifests."""


def _waits_together(workload: Workload) -> bool:
    """Whether something in the job itself asks for all pods or none."""
    pods = workload.pods
    marks = any({COSCHEDULING, KAI_QUEUE} & pod.labels.keys() or VOLCANO_GROUP in pod.annotations for pod in pods)
    scheduler = any(pod.scheduler in GANG_SCHEDULERS for pod in pods)
    policy = dig(workload.resource.spec, "runPolicy", "schedulingPolicy") is not None
    volcano = workload.resource.group == "batch.volcano.sh"
    gated = any(GATES.search(text(gate.get("name"))) for pod in pods for gate in trees(pod.spec.get("schedulingGates")))
    named = any(pod.spec.get("workloadRef") is not None or PROVISIONED & pod.annotations.keys() for pod in pods)
    return bool(workload.queue) or marks or scheduler or policy or volcano or gated or named


def _all_marks_known(workload: Workload) -> bool:
    schedulers = [pod.spec.get(key) for pod in workload.pods for key in ("schedulerName", "schedulingGates")]
    run_policy = workload.resource.at("spec", "runPolicy")
    return whole(schedulers) and whole(run_policy) and all(pod.marks_known for pod in workload.pods)


def _default_queue(stack: Stack, workload: Workload) -> bool:
    """Kueue sends unlabelled jobs to the LocalQueue named default."""
    names = {(queue.namespace, queue.object_name) for queue in stack.of("LocalQueue")}
    return (workload.resource.namespace, "default") in names or not stack.named("LocalQueue")


def _runtime_waits(stack: Stack, workload: Workload) -> bool:
    """Whether a TrainJob's runtime has a gang policy, or is one that we do not see."""
    name = text(workload.resource.at("spec", "runtimeRef", "name"))
    runtimes = [resource for resource in stack.of(*RUNTIMES) if resource.object_name == name]
    if not stack.named(*RUNTIMES):
        return True
    if runtimes:
        return any(each.spec.get("podGroupPolicy") is not None for each in runtimes)
    return not name.startswith(BUILT_IN_RUNTIMES)


@rule("SCH-401", ADVISORY, also=MANDATORY, on=Stack)
def gang_for_jobs(stack: Stack) -> Complaints:
    """A Kueue queue, Volcano, KAI, a coscheduling PodGroup or the trainer's podGroupPolicy holds the pods together.

    So do GKE's topology gates, a Workload of Kubernetes and a ProvisioningRequest, and one group alone has nobody to
    meet. It is proven where the jobs that wait for nobody are more than the cluster's GPUs.
    """
    alone = [workload for workload in stack.jobs() if not _held(stack, workload)]
    room = [pool.units for pool in stack.facts.gpu_pools]
    needed = [pod.gpus * (integer(pod.replicas) or 1) for workload in alone for pod in workload.gpu_pods]
    short = len(alone) > 1 and bool(room) and None not in room and sum(needed) > sum(size or 0 for size in room)
    for workload in alone:
        what = f"{workload.nodes} nodes and no gang scheduling"
        yield Complaint(what, severity=MANDATORY if short else None, about=workload.resource)


def _held(stack: Stack, workload: Workload) -> bool:
    """Whether something keeps the pods together, or may."""
    if _waits_together(workload) or not _all_marks_known(workload) or _default_queue(stack, workload):
        return True
    resource = workload.resource
    if resource.kind == "LeaderWorkerSet":
        return resource.spec.get("replicas") in (None, 1, UNKNOWN)
    return resource.kind == "TrainJob" and _runtime_waits(stack, workload)


@rule("SCH-402", MANDATORY, on=Stack)
def gang_flag_set(stack: Stack) -> Complaints:
    """PyTorchJobs on Volcano need --gang-scheduler-name at their operator, MPIJobs --gang-scheduling."""
    for workload in stack.workloads:
        operator, name = GANG_FLAGS.get(workload.kind, ("", ""))
        if not any(pod.scheduler == "volcano" for pod in workload.pods):
            continue
        for resource, tokens in arguments(stack, operator):
            if flag(tokens, name) != "volcano" and whole(resource.at("spec")):
                what = f"schedulerName is volcano but {operator} runs without {name}=volcano"
                yield Complaint(what, about=workload.resource)


@rule("SCH-403", MANDATORY, on=Stack)
def volcano_before_operator(stack: Stack) -> Complaints:
    """The gang flag makes the operator look for Volcano's PodGroup at its start."""
    volcano = stack.releases("volcano")
    for resource, tokens in arguments(stack, TRAINING):
        if flag(tokens, "--gang-scheduler-name") != "volcano" or not stack.complete:
            continue
        if stack.lacks("volcano") and not stack.installs("volcano"):
            yield Complaint("runs with --gang-scheduler-name=volcano but nothing installs Volcano", about=resource)
        elif volcano and not any(stack.waits_for(resource, each.resource) for each in volcano):
            yield Complaint("runs with --gang-scheduler-name=volcano and does not wait for Volcano", about=resource)


OTHER_QUEUES = ("scheduling.volcano.sh/queue-name", "kai.scheduler/queue")
QUEUEING_SCHEDULERS = {"volcano", "kai-scheduler"}


@rule("SCH-404", MANDATORY, on=Workload)
def one_admission_owner(workload: Workload, _: Facts) -> Complaints:
    """Kueue admits jobs for the default scheduler; Volcano and KAI have queues of their own."""
    if not workload.queue:
        return
    for pod in workload.pods:
        marks = {key for key, value in {**pod.labels, **pod.annotations}.items() if text(value)}
        others = [f"schedulerName {pod.scheduler}"] if pod.scheduler in QUEUEING_SCHEDULERS else []
        others += [mark for mark in OTHER_QUEUES if mark in marks]
        if others:
            yield f"{LABEL} is {workload.queue} beside {' and '.join(others)}"
            return
