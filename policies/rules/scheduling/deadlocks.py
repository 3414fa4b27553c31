"""Jobs that wait for each other, that a queue cannot count, or that an autoscaler ends."""

from bedplate.components.platforms import CLOUDS
from bedplate.policies.facts import Facts, Pool
from bedplate.policies.resources.claims import requests
from bedplate.policies.resources.kueue import Kueue, installed
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import Pod
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import UNKNOWN, dig, integer, text, texts, tree, trees, whole

WAITS = "WaitForWorkersReady"
GANGS = {"volcano", "scheduler-plugins-scheduler", "coscheduler"}


@rule("SCH-421", MANDATORY, on=Workload)
def launcher_outside_gang(workload: Workload, _: Facts) -> Complaints:
    """mpi-operator makes a PodGroup of the workers and the launcher unless minAvailable says less."""
    spec = workload.resource.spec
    if workload.kind != "MPIJob" or spec.get("launcherCreationPolicy") != WAITS:
        return
    policy = dig(spec, "runPolicy", "schedulingPolicy")
    gang = any(pod.scheduler in GANGS for pod in workload.pods) or policy is not None
    least = dig(policy, "minAvailable")
    if gang and workload.known and (least is None or (integer(least) or 0) > workload.nodes):
        yield f"launcherCreationPolicy is {WAITS} in a gang of {integer(least) or workload.nodes + 1}"


def _mapped(kueues: list[Kueue]) -> set[str]:
    mappings = [each for kueue in kueues for each in trees(dig(kueue.config, "resources", "deviceClassMappings"))]
    return {name for mapping in mappings for name in texts(mapping.get("deviceClassNames"))}


def _classes(stack: Stack, pod: Pod) -> set[str]:
    names = {text(each.get("resourceClaimTemplateName")) for each in trees(pod.spec.get("resourceClaims"))}
    templates = [resource for resource in stack.of("ResourceClaimTemplate") if resource.object_name in names]
    near = [resource for resource in templates if resource.namespace == pod.resource.namespace]
    return {name for each in near for name, _count in requests(each) if name}


@rule("SCH-422", MANDATORY, also=ADVISORY, on=Stack)
def claims_counted(stack: Stack) -> Complaints:
    """Each device class in a queued job's claim templates is mapped in Kueue's configuration.

    Where that is not seen it may be so.
    """
    kueues = installed(stack)
    mapped = _mapped(kueues)
    readable = stack.charts_known and all(whole(kueue.config) for kueue in kueues)
    for workload in stack.workloads if readable else ():
        for pod in workload.pods if workload.queue else ():
            for name in sorted(_classes(stack, pod) - mapped):
                what = f"{pod.role or 'pod'} claims {name}, which no configuration of Kueue maps"
                severity = None if kueues else ADVISORY
                yield Complaint(what, severity=severity, about=workload.resource)


@rule("SCH-423", ADVISORY, on=Stack)
def nodes_asked_for(stack: Stack) -> Complaints:
    """A flavor with a topology, of a pool that an autoscaler may make smaller, has a check that asks for machines."""
    flavors, queues = stack.of("ResourceFlavor"), stack.of("ClusterQueue")
    if not all(whole(each.props) for each in (*flavors, *queues)):
        return
    for flavor in flavors:
        for pool in _scaling(stack.facts.gpu_pools, flavor) if flavor.spec.get("topologyName") else ():
            if not any(_checked(queue, flavor.object_name) for queue in queues):
                bounds = f"{pool.fewest_nodes} nodes or more, up to {pool.nodes}"
                yield Complaint(f"pool {pool.name} has {bounds}, and nobody asks for more", about=flavor)


def _scaling(pools: tuple[Pool, ...], flavor: Resource) -> list[Pool]:
    """Pools that are the flavor's by their labels, and scale."""
    labels = tree(flavor.spec.get("nodeLabels")).items()
    return [pool for pool in pools if pool.fewest_nodes is not None and labels <= pool.labels.items()]


def _checked(queue: Resource, flavor: str) -> bool:
    """A check that names no flavor is of all."""
    checks = trees(dig(queue.spec, "admissionChecksStrategy", "admissionChecks"))
    return any(flavor in texts(check.get("onFlavors", [flavor])) for check in checks)


KEEP = {
    "karpenter.sh/do-not-disrupt": "true",
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
}


def _kept(workload: Workload) -> bool:
    return any(pod.annotations.get(key) in (value, UNKNOWN) for pod in workload.gpu_pods for key, value in KEEP.items())


@rule("SCH-419", ADVISORY, on=Stack)
def protected_jobs(stack: Stack) -> Complaints:
    """On clouds a multi-node job says that its pods must stay, or its namespace has a PodDisruptionBudget."""
    if stack.facts.platform not in CLOUDS or not stack.named("PodDisruptionBudget"):
        return
    guarded = {budget.namespace for budget in stack.of("PodDisruptionBudget")}
    for workload in stack.jobs():
        known = all(pod.marks_known and not pod.partial for pod in workload.gpu_pods)
        if workload.finite and known and not _kept(workload) and workload.resource.namespace not in guarded:
            yield Complaint("has neither annotation nor disruption budget", about=workload.resource)
