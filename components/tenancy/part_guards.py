"""That a job's pods stay the job's while it is there, and go when it has ended: nothing else takes them away.

Kueue frees the amounts of a job that has ended, whatever of its pods is left.
"""

from collections.abc import Iterator

from bedplate.components.facts import Facts
from bedplate.components.tenancy.guards import BY_A_CONTROLLER, CREATED, LABELS, OWNERS, Limit, Watch
from bedplate.components.workload.controllers import CONTROLLERS, running
from bedplate.components.workload.kinds import KINDS
from bedplate.components.workload.templates import Kind

KUBEFLOW = (CONTROLLERS["mpiOperator"], CONTROLLERS["trainingOperator"])
POLICY = "object.spec.runPolicy"
TTL = "ttlSecondsAfterFinished"
STRATEGY = "object.spec.deletionStrategy"
"""Of a RayJob. Its old fields come before `shutdownAfterJobFinishes`, which Kueue asks for, and leave the head, or of a
job that was stopped all (ray-project/kuberay@v1.7.0, rayjob_controller.go `handleLegacyDeletionPolicy`); the rules
that came after them exclude it (validation.go)."""
SAID = f"!{BY_A_CONTROLLER} && ({CREATED} || object.spec != oldObject.spec)"
GROUPED = ("volcano", "kai")
"""Their groups of a Deployment's pods are its ReplicaSet's, and go with it (volcano-sh/volcano@v1.15.1,
pg_controller_handler.go `newPGOwnerReferences`). Elsewhere such pods are each counted by themselves, and people take
them out of a Service by their labels."""


def part_watch(facts: Facts, kinds: tuple[Kind, ...]) -> Watch:
    """A controller lets a pod go that its selector no longer matches, and it would outlive the job.

    kubernetes/kubernetes@v1.35.4, pkg/controller/controller_ref_manager.go `ClaimPods`. So would one that has a second
    owner: the garbage collector then takes the first out of the list (garbagecollector.go `attemptToDeleteItem`).
    """
    before, after = LABELS.format("oldObject"), LABELS.format("object")
    part = f"{OWNERS.format('oldObject')}.exists(o, has(o.controller) && o.controller)"
    grouped = part if facts.scheduler.kind in GROUPED else part[:-1] + " && o.kind != 'ReplicaSet')"
    stay = f"{OWNERS.format('object')} == {OWNERS.format('oldObject')}"
    return Watch(
        "part",
        (("", "v1", "pods"), *kinds),
        (
            Limit(
                f"object.kind != 'Pod' || !{grouped} || {before}.all(k, k in {after} && {after}[k] == {before}[k])",
                "A job takes its pods with it by their labels: leave those that are there; others may be added.",
            ),
            Limit(
                f"!{part} || {stay}",
                "A part of a job is counted with it: leave its ownerReferences as they are.",
            ),
        ),
        when=f"!{BY_A_CONTROLLER}",
        operations=("UPDATE",),
    )


def cleaned_watches(facts: Facts, longest: int) -> Iterator[Watch]:
    """The operators' default leaves all pods, and a RayJob its cluster for as long as it says.

    kubeflow/training-operator@v1.9.0, pkg/apis/kubeflow.org/v1/*_defaults.go; kubeflow/mpi-operator,
    pkg/apis/kubeflow/v2beta1/default.go.
    """
    ours = running(facts.training)
    if kinds := tuple(
        (one.group, one.api.split("/")[1], f"{kind.lower()}s") for one in KUBEFLOW if one in ours for kind in one.kinds
    ):
        cleaned = f"has({POLICY}) && has({POLICY}.cleanPodPolicy) && {POLICY}.cleanPodPolicy in ['All', 'Running']"
        message = "Its pods would keep their GPUs after it has ended: set runPolicy.cleanPodPolicy: Running."
        yield Watch("cleaned", kinds, (Limit(cleaned, message),), when=SAID)
    if CONTROLLERS["kuberay"] in ours:
        soon = f"!has(object.spec.{TTL}) || object.spec.{TTL} <= {longest}"
        message = "Its cluster would keep its GPUs after it has ended"
        whole = f"!has({STRATEGY}) || !(has({STRATEGY}.onSuccess) || has({STRATEGY}.onFailure))"
        limits = (
            Limit(soon, f"{message}: lower {TTL} to {longest}."),
            Limit(whole, f"{message}: instead of deletionStrategy say shutdownAfterJobFinishes: true."),
        )
        yield Watch("lasting", (KINDS["RayJob"].admitted,), limits, when=SAID)
