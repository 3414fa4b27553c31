"""Servers, jobs of this stack, and what watches and scales them."""

from collections.abc import Mapping
from typing import Any

from review.changes import Change, Field, leaves
from review.danger import Danger, Judgement
from review.rules.rule import Rule, always

TEMPLATES = ("spec.template", "spec.leaderWorkerTemplate")
DEPLOYMENTS = "Kubernetes docs: deployments, rollout"
SCALING = "Kubernetes docs: horizontal pod autoscaling"
TAKES = "it takes GPUs: where none are free, jobs go that borrowed them or matter less"
PREEMPTION = "Kueue docs: preemption; Kubernetes docs: pod priority and preemption"
PROMETHEUS = "Prometheus Operator docs"


def controller(change: Change) -> Judgement:
    """Deployments, StatefulSets, DaemonSets, LeaderWorkerSets: a changed template starts pods anew."""
    if change.what in ("delete", "replace"):
        return Judgement(Danger.ROLLS_PODS, "its pods are stopped", DEPLOYMENTS)
    if _takes_more(change) and _gpus(change.resource.inputs):
        return Judgement(Danger.EVICTS_JOBS, TAKES, PREEMPTION)
    if change.what == "create":
        return Judgement(Danger.NOTHING, "new pods; none that runs is touched", DEPLOYMENTS)
    if change.touches(*TEMPLATES):
        reason = "its template changes: pods start anew, a server loads its model again"
        return Judgement(Danger.ROLLS_PODS, reason, DEPLOYMENTS)
    if any(_fewer(field.old, field.new) for field in change.fields if field.path == "spec.replicas"):
        return Judgement(Danger.ROLLS_PODS, "fewer replicas: the last ones are stopped", DEPLOYMENTS)
    return Judgement(Danger.NOTHING, "no pod's template changes", DEPLOYMENTS)


def _takes_more(change: Change) -> bool:
    """Pods beside those that there are, be it until the old ones of a new template have gone."""
    strategy = change.resource.inputs.get("spec", {}).get("strategy", {}).get("rollingUpdate", {})
    surges = change.resource.kind == "Deployment" and strategy.get("maxSurge", "25%") != 0
    rolls = change.touches(*TEMPLATES) and surges
    scaled = (field for field in change.fields if field.path == "spec.replicas" and field.new is not None)
    return change.what == "create" or rolls or any(field.old is None or field.new > field.old for field in scaled)


def _gpus(inputs: Mapping[str, Any]) -> bool:
    """A container asks for some; labels and taints have names like theirs."""
    return any(".resources." in path and "nvidia.com/" in path for path, _ in leaves(inputs))


def _fewer(old: int | None, new: int | None) -> bool:
    """An absent number was the autoscaler's; one that goes is 1 until the autoscaler says more."""
    return old is None or new is None or new < old


LEAST = ("minReplicas", "minReplicaCount")


def _more(field: Field) -> bool:
    """The least number of replicas rises."""
    least = tuple(f"spec.{name}" for name in LEAST)
    return field.within(*least) and int(field.new or 1) > int(field.old or 1)


def scaler(change: Change) -> Judgement:
    """How many replicas of a model server there may be."""
    if change.what == "delete":
        return Judgement(Danger.NOTHING, "replicas stay as many as they are", SCALING)
    least, most = change.resource.inputs.get("spec", {}), ("spec.maxReplicas", "spec.maxReplicaCount")
    at_least = max(int(least.get(name) or 1) for name in LEAST)
    if (change.what == "create" and at_least > 1) or any(_more(field) for field in change.fields):
        return Judgement(Danger.EVICTS_JOBS, f"at least {at_least} replicas: {TAKES}", PREEMPTION)
    if any(field.within(*most) and _fewer(field.old, field.new) for field in change.fields):
        return Judgement(Danger.ROLLS_PODS, "replicas above the new bound are stopped", SCALING)
    return Judgement(Danger.NOTHING, "replicas change only as load does", SCALING)


def service(change: Change) -> Judgement:
    """The address by which pods are reached."""
    if change.what in ("delete", "replace") or change.touches("spec.selector", "spec.ports"):
        return Judgement(Danger.RELOADS, "clients reach other pods, or none", "Kubernetes docs: services")
    return Judgement(Danger.NOTHING, "clients go on as before", "Kubernetes docs: services")


def runtime(change: Change) -> Judgement:
    """What a TrainJob is made from."""
    if change.what == "delete":
        return Judgement(Danger.EVICTS_JOBS, "TrainJobs that name it cannot start", "Kubeflow Trainer docs: runtimes")
    return Judgement(Danger.NOTHING, "jobs that start later are made from it", "Kubeflow Trainer docs: runtimes")


def job(change: Change) -> Judgement:
    """Jobs of this stack prove things, in a team's queue; they are made anew rather than changed."""
    if change.what != "delete" and _gpus(change.resource.inputs):
        return Judgement(Danger.EVICTS_JOBS, f"the proof runs: {TAKES}", PREEMPTION)
    return Judgement(Danger.ROLLS_PODS, "the proof ends, or runs again", "this stack")


monitor = always(Danger.NOTHING, "only what is measured or rings changes", PROMETHEUS)
"""What is measured, and what rings."""
budget = always(Danger.NOTHING, "asked only when somebody evicts", "Kubernetes docs: disruptions")
"""How many may be missing while nodes are drained."""
RULES: Mapping[str, Rule] = {
    "Deployment": controller,
    "StatefulSet": controller,
    "DaemonSet": controller,
    "LeaderWorkerSet": controller,
    "Job": job,
    "JobSet": job,
    "MPIJob": job,
    "HorizontalPodAutoscaler": scaler,
    "ScaledObject": scaler,
    "Service": service,
    "ServiceMonitor": monitor,
    "PodMonitor": monitor,
    "PrometheusRule": monitor,
    "PodDisruptionBudget": budget,
    "PodGroup": runtime,
    "TrainingRuntime": runtime,
    "ClusterTrainingRuntime": runtime,
}
