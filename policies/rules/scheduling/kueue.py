"""Kueue: its configuration and the chain from a job to its quota."""

from bedplate.policies.facts import Facts
from bedplate.policies.resources.kueue import LABEL, chain, covered, flavors, framework, installed
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import requested
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, Edit, rule
from bedplate.policies.values import UNKNOWN, dig, text, whole

HOOKED = ("network-operator", "kube-prometheus-stack", "volcano", "kai-scheduler", "kubeflow-trainer", "gpu-operator")
"""Charts whose install runs Jobs or waits for pods outside any queue."""
SCARCE = ("vpc.amazonaws.com/efa", "rdma/", "nvidia.com/hostdev")
FLAVOR = "ResourceFlavor"
FIELDS_OF = {
    "kueue.x-k8s.io/v1beta1": {"cohortName": "cohort"},
    "kueue.x-k8s.io/v1beta2": {"cohort": "cohortName", "admissionChecks": "admissionChecksStrategy"},
}
"""By version, fields of a ClusterQueue that only the other one has, and what this one has instead."""


def _queued(stack: Stack) -> list[Workload]:
    return [workload for workload in stack.workloads if workload.queue]


@rule("SCH-405", MANDATORY, on=Stack)
def framework_enabled(stack: Stack) -> Complaints:
    """A labelled workload's integration is on; since 0.19 the Kubeflow v1 jobs are off by default."""
    for kueue in installed(stack):
        for workload in _queued(stack) if kueue.known else ():
            name = framework(workload.resource)
            if name not in kueue.frameworks and kueue.release.numbers:
                what = f"{LABEL} is {workload.queue} but Kueue {kueue.release.version} does not manage {name}"
                yield Complaint(what, about=workload.resource)


@rule("SCH-406", MANDATORY, also=ADVISORY, on=Stack)
def queues_resolve(stack: Stack) -> Complaints:
    """Job to LocalQueue, to ClusterQueue, to each flavor, to its topology.

    In a folder without queues for the job's namespace they are taken to be elsewhere.
    """
    locals_, clusters = stack.of("LocalQueue"), stack.of("ClusterQueue")
    links = [*locals_, *clusters, *stack.of(FLAVOR), *stack.of("Topology", group="kueue.x-k8s.io")]
    if not all(whole(each.props) for each in links):
        return
    for workload in _queued(stack):
        place = workload.resource.namespace
        judged = stack.complete or any(place == queue.namespace for queue in locals_)
        if judged and place and chain(stack, place, workload.queue).local is None:
            what = f"queue {workload.queue} is no LocalQueue in {place}"
            yield Complaint(what, severity=stack.elsewhere, about=workload.resource)
    names = {queue.object_name for queue in clusters}
    for queue in locals_ if stack.complete or clusters else ():
        if text(queue.spec.get("clusterQueue")) not in names:
            what = f"clusterQueue {text(queue.spec.get('clusterQueue'))} does not exist"
            yield Complaint(what, severity=stack.elsewhere, about=queue)
    yield from _flavors_resolve(stack, clusters)


def _flavors_resolve(stack: Stack, clusters: list[Resource]) -> Complaints:
    known = {resource.object_name: resource for resource in stack.of(FLAVOR)}
    topologies = {resource.object_name for resource in stack.of("Topology", group="kueue.x-k8s.io")}
    for queue in clusters if stack.complete or known else ():
        for name in sorted({text(flavor.get("name")) for flavor in flavors(queue)} - set(known)):
            yield Complaint(f"flavor {name} does not exist", severity=stack.elsewhere, about=queue)
    for flavor in known.values() if stack.complete or topologies else ():
        name = text(flavor.spec.get("topologyName"))
        if name and name not in topologies:
            yield Complaint(f"topologyName {name} does not exist", severity=stack.elsewhere, about=flavor)


@rule("SCH-407", MANDATORY, also=ADVISORY, on=Stack)
def resources_covered(stack: Stack) -> Complaints:
    """Each resource in the job's pods has a quota in its ClusterQueue, is excluded, or counts as another one.

    Where Kueue's own configuration is not seen, it may do either.
    """
    kueues = installed(stack)
    if not stack.charts_known or not all(kueue.known for kueue in kueues):
        return
    excluded = tuple(prefix for kueue in kueues for prefix in kueue.excluded)
    replaced = {name for kueue in kueues for name in kueue.replaced}
    severity = None if kueues else stack.elsewhere
    for workload in _queued(stack):
        queue = chain(stack, workload.resource.namespace, workload.queue).cluster
        if queue is None or not whole(queue.spec):
            continue
        resources = {key for pod in workload.pods for container in pod.containers for key in requested(container)}
        for name in sorted(resources - covered(queue) - replaced):
            if not name.startswith(excluded or ("\0",)):
                what = f"requests {name}, which ClusterQueue {queue.object_name} does not cover"
                yield Complaint(what, severity=severity, about=workload.resource)


@rule("SCH-408", ADVISORY, on=Stack)
def scarce_devices_counted(stack: Stack) -> Complaints:
    """What excludeResourcePrefixes hides is invisible to topology-aware scheduling too."""
    aware = any(flavor.spec.get("topologyName") for flavor in stack.of(FLAVOR))
    for kueue in installed(stack) if aware else ():
        for prefix in kueue.excluded:
            if any(device.startswith(prefix) or prefix.startswith(device) for device in SCARCE):
                what = f"excludeResourcePrefixes hides {prefix} from topology-aware scheduling"
                yield Complaint(what, about=kueue.release.resource)


@rule("SCH-410", MANDATORY, on=("ClusterQueue",))
def current_api(resource: Resource, _: Facts) -> Complaints:
    """v1beta2 is the stored version since 0.16; v1beta1 is still served, and right with its own fields."""
    version = resource.api_version.rpartition("/")[2]
    for field, other in FIELDS_OF.get(resource.api_version, {}).items():
        if resource.spec.get(field) not in (None, UNKNOWN):
            alone = field.startswith("cohort") and other not in resource.spec
            edits = (Edit(resource.spec, field, rename=other),) if alone else ()
            yield Complaint(f"spec.{field} is not a field of {version}", f"Write spec.{other}", edits=edits)


@rule("SCH-411", MANDATORY, also=ADVISORY, on=Stack)
def kueue_scope(stack: Stack) -> Complaints:
    """The selector narrows Kueue's webhooks, which otherwise stand before every Job of the cluster."""
    hooked = [release.chart for release in stack.releases(*HOOKED)]
    for kueue in installed(stack):
        if not kueue.known or dig(kueue.config, "managedJobsNamespaceSelector") is not None:
            continue
        if dig(kueue.config, "manageJobsWithoutQueueName") is True:
            what = "manageJobsWithoutQueueName is true without managedJobsNamespaceSelector"
            yield Complaint(what, severity=None if hooked else ADVISORY, about=kueue.release.resource)
        elif hooked:
            what = f"no managedJobsNamespaceSelector beside {', '.join(hooked)}"
            yield Complaint(what, severity=ADVISORY, about=kueue.release.resource)


@rule("SCH-412", ADVISORY, on=Stack)
def all_or_nothing(stack: Stack) -> Complaints:
    """Quota alone does not make pods fit: Kueue must wait for them, or place them itself."""
    aware = any(flavor.spec.get("topologyName") is not None for flavor in stack.of(FLAVOR))
    queued = any(workload.multi_node for workload in _queued(stack))
    for kueue in installed(stack) if queued and not aware else ():
        if kueue.known and dig(kueue.config, "waitForPodsReady") is None:
            yield Complaint("multi-node jobs are queued and waitForPodsReady is not set", about=kueue.release.resource)


@rule("SCH-416", MANDATORY, on=("ResourceQuota",))
def quota_key(resource: Resource, _: Facts) -> Complaints:
    """Extended resources are counted by requests only."""
    hard, right = dig(resource.spec, "hard"), "requests.nvidia.com/gpu"
    for key in ("nvidia.com/gpu", "limits.nvidia.com/gpu"):
        if dig(hard, key) not in (None, UNKNOWN):
            edits = () if dig(hard, right) is not None else (Edit(hard, key, rename=right),)
            yield Complaint(f"spec.hard has {key}", edits=edits)
