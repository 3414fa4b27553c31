"""Where the ranks of a job go: topology, not spread."""

import re

from bedplate.components.platforms import PLATFORMS
from bedplate.policies.facts import Facts
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import Pod
from bedplate.policies.resources.release import Release
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import text, tree, trees, version, whole

AWAY = re.compile(r"zone|rack|region|block")
HOSTNAME = "kubernetes.io/hostname"
COMMON_LEVELS = re.compile(r"kubernetes\.io/hostname|topology\.kubernetes\.io/(zone|region)|nvidia\.com/gpu\.clique")
KAI = "kai.scheduler/topology"
KAI_PLACEMENTS = ("kai.scheduler/topology-required-placement", "kai.scheduler/topology-preferred-placement")
VOLCANO_LINE = (1, 15)
VOLCANO_MAX = (1, 36)


def _cloud_labels(facts: Facts) -> tuple[str, ...]:
    """Labels of the cloud's own that its nodes have; none where the site decides."""
    platform = PLATFORMS.get(facts.platform or "")
    return (*platform.levels, str(platform.pool_label)) if platform and platform.levels else ()


@rule("SCH-413", ADVISORY, on=("Topology",))
def levels_exist(topology: Resource, facts: Facts) -> Complaints:
    """On a cloud the levels are the cloud's labels; the last level is the node."""
    levels = trees(topology.spec.get("levels"))
    if topology.group != "kueue.x-k8s.io" or not levels or not whole(topology.spec):
        return
    labels = [text(level.get("nodeLabel")) for level in levels]
    if labels[-1] != HOSTNAME:
        yield f"the last level is {labels[-1]}"
    known = _cloud_labels(facts)
    for label in labels:
        if known and label not in known and not COMMON_LEVELS.fullmatch(label):
            yield f"level {label} is no label of {facts.platform}"


@rule("SCH-414", ADVISORY, on=Workload)
def no_spread(workload: Workload, _: Facts) -> Complaints:
    """A hard spread constraint over zones, racks or blocks has no place in a multi-node job.

    Where a site calls its racks zones, or all nodes are in one, it does no harm.
    """
    for pod in workload.gpu_pods if workload.multi_node else ():
        for constraint in trees(pod.spec.get("topologySpreadConstraints")):
            key = text(constraint.get("topologyKey"))
            if AWAY.search(key) and constraint.get("whenUnsatisfiable", "DoNotSchedule") == "DoNotSchedule":
                yield f"{pod.role or 'pod'} must spread over {key}"


PODSET = "kueue.x-k8s.io/podset-"
TOPOLOGIES = tuple(f"{PODSET}{each}-topology" for each in ("required", "preferred", "unconstrained"))
SLICES = (f"{PODSET}slice-required-topology", f"{PODSET}slice-size")


@rule("SCH-429", MANDATORY, on=Pod)
def one_topology(pod: Pod, _: Facts) -> Complaints:
    """A pod set asks for one topology, and a slice has both its topology and its size."""
    annotations = pod.resource.annotations if pod.resource.kind == "Pod" else tree(pod.metadata.get("annotations"))
    said = [name for name in TOPOLOGIES if text(annotations.get(name))]
    if len(said) > 1:
        yield f"{pod.role or 'pod'} has the annotations {' and '.join(said)}"
    given = [name for name in SLICES if annotations.get(name) is not None]
    if len(given) == 1 and whole(annotations):
        other = next(name for name in SLICES if name not in given)
        yield f"{pod.role or 'pod'} has the annotation {given[0]} without {other}"


@rule("SCH-415", MANDATORY, also=ADVISORY, on=Stack)
def kai_coherent(stack: Stack) -> Complaints:
    """A placement is a level of a Topology, which must exist; every pod of KAI has a queue.

    KAI's podgrouper sends pods without the label to default-queue, which an administrator may have made.
    """
    topologies = {resource.object_name: resource for resource in stack.of("Topology", group="kai.scheduler")}
    for pod in stack.pods:
        if pod.scheduler != "kai-scheduler" or not pod.marks_known:
            continue
        name = text(pod.annotations.get(KAI))
        placements = [text(pod.annotations[key]) for key in KAI_PLACEMENTS if key in pod.annotations]
        if placements and not name:
            yield Complaint(f"placement {placements[0]} without {KAI}", about=pod.resource)
        elsewhere = not stack.named("Topology") or not (stack.complete or topologies)
        if name and name not in topologies and not elsewhere:
            yield Complaint(f"{KAI} {name} is no Topology", severity=stack.elsewhere, about=pod.resource)
        yield from _levels(pod.resource, topologies.get(name), placements)
        if "kai.scheduler/queue" not in pod.labels:
            what = "schedulerName is kai-scheduler without the label kai.scheduler/queue"
            fix = "Label the pod with a leaf queue: without one KAI takes default-queue"
            yield Complaint(what, fix, ADVISORY, pod.resource)


def _levels(resource: Resource, topology: Resource | None, placements: list[str]) -> Complaints:
    if topology is None or not whole(topology.spec):
        return
    levels = [text(level.get("nodeLabel")) for level in trees(topology.spec.get("levels"))]
    for placement in placements:
        if placement not in levels:
            yield Complaint(f"placement {placement} is no level of {topology.object_name}", about=resource)


@rule("SCH-420", ADVISORY, on=Release)
def volcano_version(release: Release, facts: Facts) -> Complaints:
    """Volcano 1.15 supports Kubernetes up to 1.35."""
    old = release.chart == "volcano" and release.numbers[:2] == VOLCANO_LINE
    if old and version(facts.kubernetes_version) >= VOLCANO_MAX:
        yield f"volcano {release.version} on Kubernetes {facts.kubernetes_version}"
