"""Servers, jobs of this stack, and what they are made from."""

from collections.abc import Mapping
from typing import Any

from bedplate.review.changes import Change
from bedplate.review.danger import Judgement
from bedplate.review.fields import Field, leaves
from bedplate.review.rules.rule import evicts, nothing, rolls

DEPLOYMENTS = "Kubernetes docs: deployments, rollout"
TAKES = "it takes GPUs: where none are free, jobs go that borrowed them or matter less"
SCALING = "Kubernetes docs: horizontal pod autoscaling; KEDA docs: ScaledObject"
LEAST = ("minReplicas", "minReplicaCount")
PREEMPTION = "Kueue docs: preemption; Kubernetes docs: pod priority and preemption"


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


def proof(change: Change, _: Field | None = None) -> Judgement:
    """Jobs of this stack prove things, in a team's queue; they are made anew rather than changed."""
    if change.what != "delete" and takes_gpus(change.resource.inputs):
        return evicts(f"the proof runs: {TAKES}", PREEMPTION)
    return rolls("the proof ends, or runs again", "this stack")


MODEL = "values.servingEngineSpec.modelSpec[]"


def model(change: Change, field: Field) -> Judgement:
    """A model server of the chart's: its pods start anew, and those beside the old ones take GPUs."""
    strategy = change.resource.inputs["values"].get("servingEngineSpec", {}).get("strategy", {})
    surges = strategy.get("rollingUpdate", {}).get("maxSurge", "25%") != 0
    if surges or field.old is None or (field.place == f"{MODEL}.replicaCount" and field.new > field.old):
        return evicts(TAKES, PREEMPTION)
    return rolls("its template changes: pods start anew, a server loads its model again", DEPLOYMENTS)


def bounded(change: Change) -> Judgement:
    """More than one replica from the start takes GPUs."""
    spec = change.resource.spec
    return _takes(max(int(spec.get(name) or 1) for name in LEAST), 1)


def least(_: Change, field: Field) -> Judgement:
    """The least number of replicas."""
    return _takes(int(field.new or 1), int(field.old or 1))


def _takes(new: int, old: int) -> Judgement:
    if new > old:
        return evicts(f"at least {new} replicas: {TAKES}", PREEMPTION)
    return nothing("replicas change only as load does", SCALING)


def most(_: Change, field: Field) -> Judgement:
    """The largest number of replicas."""
    if field.old is None or field.new is None or field.new < field.old:
        return rolls("replicas above the new bound are stopped", SCALING)
    return nothing("replicas change only as load does", SCALING)
