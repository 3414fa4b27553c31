"""Servers, jobs of this stack, and what they are made from."""

from collections.abc import Mapping
from typing import Any

from bedplate.review.changes import Change
from bedplate.review.danger import Judgement
from bedplate.review.fields import Field, leaves
from bedplate.review.rules.rule import OBJECT, Kind, Rule, evicts, nothing, refused, rolls

TEMPLATES = ("spec.template", "spec.leaderWorkerTemplate")
DEPLOYMENTS = "Kubernetes docs: deployments, rollout"
DAEMONS = "Kubernetes docs: perform a rolling update on a DaemonSet"
TAKES = "it takes GPUs: where none are free, jobs go that borrowed them or matter less"
PREEMPTION = "Kueue docs: preemption; Kubernetes docs: pod priority and preemption"
QUEUED = "kubernetes-sigs/kueue pkg/controller/jobs/deployment/deployment_webhook.go"
TRAINER = "Kubeflow Trainer docs: runtimes"
VOLCANO = "Volcano docs: queue of a pod"

_STOPPED = rolls("its pods are stopped", DEPLOYMENTS)
_NEXT = nothing("only how the next rollout goes", DEPLOYMENTS)


def created(change: Change) -> Judgement:
    """New pods; those that take GPUs may take them from others."""
    if takes_gpus(change.resource.inputs):
        return evicts(TAKES, PREEMPTION)
    return nothing("new pods; none that runs is touched", DEPLOYMENTS)


def template(change: Change, _: Field) -> Judgement:
    """Whatever changes in a template, its pods start anew; those beside the old ones take GPUs."""
    strategy = change.resource.spec.get("strategy", {}).get("rollingUpdate", {})
    surges = change.resource.kind == "Deployment" and strategy.get("maxSurge", "25%") != 0
    if surges and takes_gpus(change.resource.inputs):
        return evicts(TAKES, PREEMPTION)
    return rolls("its template changes: pods start anew, a server loads its model again", DEPLOYMENTS)


def replicas(change: Change, field: Field) -> Judgement:
    """An absent number was the autoscaler's; one that goes is 1 until the autoscaler says more."""
    more = field.new is not None and (field.old is None or field.new > field.old)
    if more and takes_gpus(change.resource.inputs):
        return evicts(TAKES, PREEMPTION)
    if not more or field.old is None:
        return rolls("fewer replicas: the last ones are stopped", DEPLOYMENTS)
    return nothing("more replicas: those that run go on", DEPLOYMENTS)


def takes_gpus(inputs: Mapping[str, Any]) -> bool:
    """A container asks for some; labels and taints have names like theirs."""
    return any(".resources." in path and "nvidia.com/" in path for path, _ in leaves(inputs))


def _updated(change: Change, field: Field) -> Judgement:
    """A DaemonSet that waited for somebody to delete its pods, and waits no more."""
    del change
    return rolls("pods that are out of date start anew", DAEMONS) if field.new != "OnDelete" else _NEXT


CONTROLLER = Kind(
    created,
    _STOPPED,
    {
        **OBJECT,
        "{spec.template.*,spec.leaderWorkerTemplate.*}": template,
        "spec.replicas": replicas,
        "spec.{strategy,rolloutStrategy}.{type,rollingUpdate.maxSurge,rollingUpdate.maxUnavailable}": _NEXT,
        "spec.rolloutStrategy.rollingUpdateConfiguration.{maxSurge,maxUnavailable}": _NEXT,
        "spec.updateStrategy.rollingUpdate.{maxSurge,maxUnavailable}": _NEXT,
        "spec.updateStrategy.type": _updated,
        "spec.{progressDeadlineSeconds,minReadySeconds,revisionHistoryLimit}": _NEXT,
        "metadata.labels.kueue.x-k8s.io/queue-name": refused(
            "Kueue lets nobody move a server that runs to another queue: delete it first", QUEUED
        ),
        "metadata.annotations.scheduling.volcano.sh/queue-name": rolls(
            "its pods are made for another queue from now on", VOLCANO
        ),
    },
)
"""Deployments, StatefulSets, DaemonSets, LeaderWorkerSets."""


def proof(change: Change, _: Field | None = None) -> Judgement:
    """Jobs of this stack prove things, in a team's queue; they are made anew rather than changed."""
    if change.what != "delete" and takes_gpus(change.resource.inputs):
        return evicts(f"the proof runs: {TAKES}", PREEMPTION)
    return rolls("the proof ends, or runs again", "this stack")


JOB = Kind(
    proof,
    proof,
    {
        **OBJECT,
        "spec.{template.*,completions,parallelism,completionMode}": proof,
        "spec.{backoffLimit,podFailurePolicy.rules[].action}": nothing(
            "only how often it is tried again", "Kubernetes docs: jobs"
        ),
        "spec.podFailurePolicy.rules[].onPodConditions[].{type,status}": nothing(
            "only how often it is tried again", "Kubernetes docs: jobs"
        ),
        "metadata.labels.kueue.x-k8s.io/queue-name": refused(
            "Kueue lets nobody move a job that runs to another queue", "Kueue docs: run a Kubernetes Job"
        ),
    },
)
_COPIED = nothing("jobs that start later are made from it", TRAINER)
RUNTIME = Kind(
    _COPIED,
    evicts("TrainJobs that name it cannot start", TRAINER),
    {
        **OBJECT,
        "spec.{template.*,mlPolicy.numNodes,mlPolicy.torch,mlPolicy.torch.numProcPerNode}": _COPIED,
        "metadata.labels.trainer.kubeflow.org/framework": _COPIED,
    },
)
"""What a TrainJob is made from: a runtime is copied when the TrainJob is made, whatever of it changes."""
_PLACED = nothing("asked only when its pods are placed", "Volcano docs: PodGroup")
PODS = Kind(
    _PLACED,
    evicts("pods that name it cannot start", "Volcano docs: PodGroup"),
    {
        **OBJECT,
        "spec.{minMember,queue,priorityClassName,networkTopology.mode,networkTopology.highestTierAllowed}": _PLACED,
    },
)
_DOMAIN = "NVIDIA/k8s-dra-driver-gpu docs: ComputeDomain"
DOMAIN = Kind(
    nothing("pods that ask for it get it", _DOMAIN),
    evicts("pods that use its channel lose it, and others cannot start", _DOMAIN),
    {**OBJECT, "spec.{numNodes,channel.resourceClaimTemplate.name}": refused("its spec never changes", _DOMAIN)},
)
RULES: Mapping[str, Rule] = {
    "Deployment": CONTROLLER,
    "StatefulSet": CONTROLLER,
    "DaemonSet": CONTROLLER,
    "LeaderWorkerSet": CONTROLLER,
    "Job": JOB,
    "JobSet": JOB,
    "MPIJob": JOB,
    "PodGroup": PODS,
    "TrainingRuntime": RUNTIME,
    "ClusterTrainingRuntime": RUNTIME,
    "ComputeDomain": DOMAIN,
}
