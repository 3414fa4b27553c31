"""That a team's pods take devices by way of the team's own queue, whoever makes them: CEL beside the scheduler.

The scheduler's own webhooks queue what they see; these hold what they leave open: an object that names another team's
queue, one that claims to be a part of a job that was admitted already, and one that lets itself go.
"""

from collections.abc import Iterator

from bedplate.components.facts import Facts
from bedplate.components.tenancy.amount_guards import amount_watch, resized_watch, same_watch, taint_watches
from bedplate.components.tenancy.count_guards import count_watches
from bedplate.components.tenancy.group_guards import group_watches, lent_watches
from bedplate.components.tenancy.guards import BY_A_CONTROLLER, CREATED, OWNERS, Limit, Watch, texts
from bedplate.components.tenancy.kueue_marks import mark_watch
from bedplate.components.tenancy.priorities import preempts
from bedplate.components.workload.contract import QUEUE_KEYS
from bedplate.components.workload.controllers import running
from bedplate.components.workload.kinds import KINDS
from bedplate.components.workload.templates import PODS, Kind

OWNED = (
    "(has({0}.metadata.ownerReferences) && {0}.metadata.ownerReferences.exists(o, has(o.controller) && o.controller))"
)
KUEUE_GATE = "kueue.x-k8s.io/"
ADOPTED = f"{CREATED} || object.spec != oldObject.spec || {OWNERS.format('object')} != {OWNERS.format('oldObject')}"
BY_A_PERSON = f"request.operation == 'UPDATE' && !{BY_A_CONTROLLER}"
COUNTED_WITH = (
    "(has(oldObject.metadata.ownerReferences) && oldObject.metadata.ownerReferences.exists(o, "
    "has(o.controller) && o.controller && o.kind != 'CronJob'))"
)
"""Kueue counts what a CronJob makes by itself, and a part of any other job with that job. Pods of Deployments and
StatefulSets, whoever owns those, are counted each."""
RAY_SERVICE = "RayService"


def watches(facts: Facts) -> Iterator[Watch]:
    """What the cluster's scheduler needs; without one there is no queue to keep to."""
    match facts.scheduler.kind:
        case "kueue":
            yield from _kueue(facts)
        case "volcano":
            groups = ("scheduling.volcano.sh", "v1beta1", "podgroups")
            yield from group_watches(groups, KINDS["VolcanoJob"].admitted, classes=facts.priority_classes)
            yield from lent_watches(groups)
            yield _placed(facts)
            yield resized_watch()
        case "kai":
            yield from group_watches(("scheduling.run.ai", "v2alpha2", "podgroups"))
            yield _placed(facts)
            yield resized_watch()
        case _:
            return


def _kueue(facts: Facts) -> Iterator[Watch]:
    """Kueue queues every kind of ours, but not what belongs to a job that it has admitted (0.19.2, pod_webhook.go)."""
    key, queue = QUEUE_KEYS["kueue"], str(facts.teams[0].queue)
    labels = "object.metadata.labels"
    named = f"has({labels}) && '{key}' in {labels} && {labels}['{key}'] == '{queue}'"
    held = tuple(kind for kind in PODS if kind[2] not in ("daemonsets", "cronjobs"))
    yield Watch(
        "queue",
        held,
        (
            Limit(
                f"{OWNED.format('object')} || !variables.takes || ({named})",
                f"What asks for GPUs or the fabric waits in the team's queue: add the label {key}: {queue}.",
            ),
        ),
        variables=(("takes", _takes(facts)),),
    )
    yield Watch("owner", _ancestors(facts, held), tuple(_owners()), when=ADOPTED)
    gates = "(has({0}.spec.schedulingGates) ? {0}.spec.schedulingGates.filter(g, g.name.startsWith('{1}')) : [])"
    before, after = (gates.format(one, KUEUE_GATE) for one in ("oldObject", "object"))
    yield Watch(
        "gate",
        (("", "v1", "pods"),),
        (Limit(f"size({after}) >= size({before})", "Kueue opens its own gate, when the team's queue has room."),),
        when=BY_A_PERSON,
    )
    yield _suspended(facts)
    if services := tuple(kind for kind in owning(facts) if kind[2] == f"{RAY_SERVICE.lower()}s"):
        yield _renewed(services)
    yield mark_watch()
    yield from count_watches(facts, (KINDS["Job"].admitted, *owning(facts)))
    yield amount_watch()
    yield resized_watch()
    yield from taint_watches(facts)
    yield same_watch(facts)


def _ancestors(facts: Facts, held: tuple[Kind, ...]) -> tuple[Kind, ...]:
    """Whatever Kueue takes for a part of what its owner is counted as, also kinds whose templates nobody reads here."""
    return tuple(dict.fromkeys((*held, *owning(facts))))


def _owners() -> Iterator[Limit]:
    """What is owned already stays so by the guard of parts (`part_guards`)."""
    yield Limit(
        f"!{OWNED.format('object')} || {BY_A_CONTROLLER} || "
        f"(request.operation == 'UPDATE' && {OWNED.format('oldObject')})",
        "Only a controller makes the parts of a job: remove the ownerReference with `controller: true`.",
    )
    yield Limit(
        f"request.operation == 'CREATE' || request.resource.group in ['', 'apps'] || !{COUNTED_WITH} || "
        f"{BY_A_CONTROLLER} || object.spec == oldObject.spec",
        "A part of a job is counted with it, as it was made: change the job itself.",
    )


def _suspended(facts: Facts) -> Watch:
    """A held-back job has `suspend: true`; who could take that away would start it."""
    was, now = _held("oldObject"), _held("object")
    return Watch(
        "suspend",
        (KINDS["Job"].admitted, *owning(facts)),
        (Limit(f"!({was}) || ({now})", "Kueue lets a job go when the team's queue has room: leave `suspend` to it."),),
        when=BY_A_PERSON,
    )


def _held(owner: str) -> str:
    """A RayService is held by its cluster, and put aside by its own team (rayservice_controller.go `IsSuspended`)."""
    jobs = " || ".join(_true(owner, path) for path in ("spec.suspend", "spec.runPolicy.suspend"))
    return f"{owner}.kind == '{RAY_SERVICE}' ? {_true(owner, 'spec.rayClusterConfig.suspend')} : ({jobs})"


def _renewed(services: tuple[Kind, ...]) -> Watch:
    """KubeRay runs the new cluster of a service beside the old one, which goes when the service says so.

    ray-project/kuberay@v1.7.0, rayservice_controller.go `shouldPrepareNewCluster`, `cleanUpRayClusterInstance`; Kueue
    counts the service once.
    """
    strategy = "(has({0}.spec.upgradeStrategy) ? {0}.spec.upgradeStrategy : {{}})"
    cluster = "object.spec.rayClusterConfig == oldObject.spec.rayClusterConfig"
    same = f"{strategy.format('object')} == {strategy.format('oldObject')}"
    stays = "has(object.spec.upgradeStrategy) && has(object.spec.upgradeStrategy.type) && "
    stays += "object.spec.upgradeStrategy.type == 'None'"
    message = (
        "It would run a second cluster beside the first, which no queue has counted: set upgradeStrategy.type: None, "
        "or delete it and make it anew."
    )
    return Watch("renewed", services, (Limit(f"({stays}) || ({cluster} && {same})", message),), when=BY_A_PERSON)


def owning(facts: Facts) -> tuple[Kind, ...]:
    """Kinds of this cluster's controllers of jobs."""
    return tuple(
        (one.group, one.api.split("/")[1], f"{kind.lower()}s") for one in running(facts.training) for kind in one.kinds
    )


def _true(owner: str, path: str) -> str:
    parts = path.split(".")
    there = [f"has({owner}.{'.'.join(parts[: i + 1])})" for i in range(len(parts))]
    return f"({' && '.join(there)} && {owner}.{path})"


def _placed(facts: Facts) -> Watch:
    """Pods that take devices go through the scheduler that counts them."""
    name = str(facts.scheduler.name)
    placed = f"(has(object.spec.schedulerName) && object.spec.schedulerName == '{name}')"
    message = f"What asks for GPUs or the fabric is placed by {name}, which counts it: set schedulerName: {name}."
    hurried = texts(title for title in facts.priority_classes if preempts(title, facts) != "Never")
    quiet = f"(!has(object.spec.priorityClassName) || !(object.spec.priorityClassName in {hurried}))"
    urgent = f"For a pod of this class the cluster's own scheduler stops other teams' pods: set schedulerName: {name}."
    return Watch(
        "scheduler",
        (("", "v1", "pods"),),
        (Limit(f"!variables.takes || {placed}", message), Limit(f"{quiet} || {placed}", urgent)),
        when=CREATED,
        variables=(("takes", _takes(facts)),),
    )


def _takes(facts: Facts) -> str:
    """Some container asks for something that the nodes count: GPUs, slices, and the fabric's devices."""
    counted = sorted({name for pool in facts.pools for name in pool.extended_resources})
    asked = f"has(c.resources) && has(c.resources.limits) && c.resources.limits.exists(k, k in {texts(counted)})"
    everywhere = "(t.spec.containers + (has(t.spec.initContainers) ? t.spec.initContainers : []))"
    return f"variables.templates.exists(t, {everywhere}.exists(c, {asked}))"
