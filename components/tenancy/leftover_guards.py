"""That what people delete is gone, so that nothing runs which no queue counts: no orphans, and an end in minutes."""

from collections.abc import Iterator

from bedplate.components.facts import Facts
from bedplate.components.tenancy.daemons import FIRST
from bedplate.components.tenancy.guards import ASKED, BY_A_CONTROLLER, Limit, Watch
from bedplate.components.tenancy.part_guards import cleaned_watches, part_watch
from bedplate.components.workload.controllers import running
from bedplate.components.workload.templates import PODS, Kind, each_spec

POLICY = "request.options.propagationPolicy"
BARE_ORPHANS = "request.resource.group == 'batch' && request.resource.resource == 'jobs'"
"""The one kind of which a DELETE that says nothing leaves the pods (kubernetes/kubernetes@v1.35.4,
pkg/registry/batch/job/strategy.go `DefaultGarbageCollectionPolicy`)."""
OLD_WAY = "(has(request.options.orphanDependents) && request.options.orphanDependents)"
PROBES = ("livenessProbe", "startupProbe")
GRACE = "terminationGracePeriodSeconds"


def leftover_watches(facts: Facts, longest: int) -> Iterator[Watch]:
    """For every cluster: what nobody owns is in nobody's queue, and holds its GPUs whatever else waits for them."""
    yield _orphans(facts)
    yield _ends(longest)
    yield part_watch(facts, owners(facts))
    yield from cleaned_watches(facts, longest)


def owners(facts: Facts) -> tuple[Kind, ...]:
    """Kinds that own pods, or what owns them."""
    ours = [(one.group, one.api.split("/")[1], plural) for one in running(facts.training) for plural in one.plurals]
    own = [("batch.volcano.sh", "v1alpha1", plural) for plural in ("jobs", "cronjobs")]
    builtin = [("batch", "v1", "jobs"), ("batch", "v1", "cronjobs")]
    apps = [("apps", "v1", plural) for plural in ("deployments", "statefulsets", "replicasets")]
    return (*builtin, *apps, *ours, *(own if facts.scheduler.kind == "volcano" else ()))


def _orphans(facts: Facts) -> Watch:
    """Also by a finalizer of one's own: the pods go after the job, and the queue forgets it as soon as it is to go."""
    said = f"(has({POLICY}) ? {POLICY} != 'Orphan' : !({BARE_ORPHANS}))"
    finalizers = "(has({0}.metadata.finalizers) ? {0}.metadata.finalizers : [])"
    return Watch(
        "orphan",
        owners(facts),
        (
            Limit(
                f"request.operation != 'DELETE' || ({said} && !{OLD_WAY})",
                "Its pods would run on, counted by nobody: delete it with propagationPolicy Background "
                "(kubectl delete --cascade=background).",
            ),
            Limit(
                f"request.operation == 'DELETE' || {finalizers.format('object')}.all(f, "
                f"request.operation == 'UPDATE' && f in {finalizers.format('oldObject')})",
                "Its pods would run on when it is deleted, counted by nobody: remove the finalizer `orphan`, or any "
                "that a person adds.",
            ),
        ),
        when=f"!{BY_A_CONTROLLER}",
        operations=("CREATE", "UPDATE", "DELETE"),
    )


def _ends(longest: int) -> Watch:
    """A pod keeps its GPUs until it ends, also those that the queue has given to others."""
    probes = " && ".join(f"(!has(c.{one}) || !has(c.{one}.{GRACE}) || c.{one}.{GRACE} <= {longest})" for one in PROBES)
    every = f"($s.containers + {FIRST}).all(c, {probes})"
    whole = f"!has($s.{GRACE}) || $s.{GRACE} <= {longest}"
    asked = f"!has(request.options.gracePeriodSeconds) || request.options.gracePeriodSeconds <= {longest}"
    message = f"A pod that must go gives its GPUs back within {longest} s"
    return Watch(
        "grace",
        PODS,
        (
            Limit(
                f"request.operation == 'DELETE' || ({each_spec(f'({whole}) && {every}')})",
                f"{message}: lower {GRACE}.",
            ),
            Limit(
                f"request.operation != 'DELETE' || ({asked})", f"{message}: delete it with --grace-period={longest}."
            ),
        ),
        when=f"request.operation == 'DELETE' ? !{BY_A_CONTROLLER} : ({ASKED})",
        operations=("CREATE", "UPDATE", "DELETE"),
    )
