"""That Kueue counts every pod that a job's controller will make: it reads some of what the controllers read.

What Kueue passes over starts with the job, uncounted, because its pods are the job's own. All of
kubernetes-sigs/kueue@v0.19.2.
"""

from collections.abc import Iterator

from bedplate.components.facts import Facts
from bedplate.components.tenancy.guards import BY_A_CONTROLLER, CREATED, LABELS, Limit, Watch, texts
from bedplate.components.workload.controllers import CONTROLLERS, Controller, running
from bedplate.components.workload.templates import RAY_CLUSTERS, Kind

TF_TYPES = ("Chief", "Master", "PS", "Worker", "Evaluator")
"""Kueue counts these (tfjob_controller.go `OrderedReplicaTypes`), and the Training Operator runs any that a job names,
whatever its case: of all its kinds, of this one alone no webhook asks for the types (kubeflow/training-operator@v1.9.0,
pkg/webhooks/tensorflow, pkg/controller.v1/common/job.go, pkg/apis/kubeflow.org/v1/tensorflow_defaults.go)."""
PREBUILT = "kueue.x-k8s.io/prebuilt-workload-name"


def count_watches(facts: Facts, jobs: tuple[Kind, ...]) -> Iterator[Watch]:
    """For people's jobs of these kinds, and those of them that are counted by halves."""
    yield Watch(
        "prebuilt",
        jobs,
        (
            Limit(
                f"!('{PREBUILT}' in {LABELS.format('object')})",
                f"Kueue counts a job by its own Workload: remove the label {PREBUILT}.",
            ),
        ),
        when=f"!{BY_A_CONTROLLER} && ({CREATED} || {LABELS.format('object')} != {LABELS.format('oldObject')})",
    )
    operator, ray = CONTROLLERS["trainingOperator"], CONTROLLERS["kuberay"]
    if operator in running(facts.training):
        message = (
            f"Kueue counts no pods of another replica type, nor of these written otherwise: {', '.join(TF_TYPES)}."
        )
        named = f"object.spec.tfReplicaSpecs.all(k, k in {texts(TF_TYPES)})"
        yield Watch("replicas", (_kind(operator, "TFJob"),), (Limit(named, message),))
    if ray in running(facts.training):
        kinds = tuple(_kind(ray, kind) for kind in ray.kinds)
        yield Watch("workers", kinds, (_workers(),))


def _workers() -> Limit:
    """KubeRay starts the minimum where `replicas` is less, and Kueue counts `replicas`.

    ray-project/kuberay@v1.7.0, controllers/ray/utils/util.go `GetWorkerGroupDesiredReplicas`; Kueue's
    raycluster/common.go `effectiveWorkerCount`.
    """
    least = "!has(g.minReplicas) || g.minReplicas <= (has(g.replicas) ? g.replicas : 1)"
    groups = "(has(r.workerGroupSpecs) ? r.workerGroupSpecs : [])"
    return Limit(
        f"{RAY_CLUSTERS}.all(r, {groups}.all(g, {least}))",
        "The team's queue counts replicas, and minReplicas would start: say no more in minReplicas than in replicas.",
    )


def _kind(controller: Controller, kind: str) -> Kind:
    return controller.group, controller.api.split("/")[1], f"{kind.lower()}s"
