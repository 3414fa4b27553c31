"""Servers, jobs of this stack, and what watches and scales them."""

from collections.abc import Mapping

from review.changes import Change
from review.danger import Danger, Judgement
from review.rules.rule import Rule, always

DEPLOYMENTS = "Kubernetes docs: deployments, rollout"
SCALING = "Kubernetes docs: horizontal pod autoscaling"
PROMETHEUS = "Prometheus Operator docs"


def controller(change: Change) -> Judgement:
    """Deployments, StatefulSets, DaemonSets, LeaderWorkerSets: a changed template starts pods anew."""
    if change.what in ("delete", "replace"):
        return Judgement(Danger.ROLLS_PODS, "its pods are stopped", DEPLOYMENTS)
    if change.what == "create":
        return Judgement(Danger.NOTHING, "new pods; none that runs is touched", DEPLOYMENTS)
    if change.touches("spec.template", "spec.leaderWorkerTemplate"):
        return Judgement(
            Danger.ROLLS_PODS, "its template changes: pods start anew, a server loads its model again", DEPLOYMENTS
        )
    if any(
        field.path == "spec.replicas" and field.new < field.old for field in change.fields if field.old and field.new
    ):
        return Judgement(Danger.ROLLS_PODS, "fewer replicas: the last ones are stopped", DEPLOYMENTS)
    return Judgement(Danger.NOTHING, "no pod's template changes", DEPLOYMENTS)


def scaler(change: Change) -> Judgement:
    """How many replicas there may be."""
    bounds = [field for field in change.fields if field.path.endswith(("maxReplicas", "maxReplicaCount"))]
    if change.what == "delete" or any(field.new is None or field.new < field.old for field in bounds if field.old):
        return Judgement(
            Danger.ROLLS_PODS, "replicas above the new bound are stopped, or stay as they are for ever", SCALING
        )
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


job = always(Danger.ROLLS_PODS, "the proof runs again, on GPUs that are free", "this stack")
"""Jobs of this stack prove things; they are made anew rather than changed."""
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
