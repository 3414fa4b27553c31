"""What we install: released at the version of the profile, with its pods ready, and its agents on every node."""

from collections.abc import Iterator, Mapping, Sequence

from bedplate.cluster.objects import Object, conditions, entries, is_true, labels, message, name, part, place
from bedplate.components.chart import Chart
from bedplate.jobs.pods import explain
from bedplate.live.checks.nodes import abridged, is_of_pool
from bedplate.live.desired import Desired
from bedplate.live.finding import Finding, finding
from bedplate.live.kinds import DAEMON_SET, DEPLOYMENT, JOB, NODE, POD, STATEFUL_SET, Kind
from bedplate.live.reading import Observed
from bedplate.plan.adoption import Release

WORKLOADS = (DEPLOYMENT, STATEFUL_SET, DAEMON_SET)
OWNER, HOME = "meta.helm.sh/release-name", "meta.helm.sh/release-namespace"
"""Annotations that Helm gives to all that it makes (helm.sh/helm pkg/action/validate.go)."""
CHART = "helm.sh/chart"
OPERATORS = frozenset({"ClusterPolicy", "NicClusterPolicy", "NicNodePolicy"})
"""Owners of operands, which the gates judge."""
SYSTEM = ("node.kubernetes.io/",)
"""Taints that every DaemonSet tolerates (kubernetes.io, DaemonSet, Taints and tolerations)."""


def releases(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """Releases that run nothing, or another version than the profile's.

    They are known by their workloads, because Helm's own records are Secrets.
    """
    if not all(observed.knows(kind) for kind in WORKLOADS):
        return
    workloads = [obj for kind in WORKLOADS for obj in observed.of(kind)]
    for release in desired.releases:
        own = [obj for obj in workloads if is_of(release, obj)]
        where = f"release {release.id}"
        if not own and has_workloads(release):
            yield finding("releases.absent", where, chart=release.chart, version=release.version)
        for version in dict.fromkeys(filter(None, (version_of(release, obj) for obj in own))):
            if version.lstrip("v") != release.version.lstrip("v"):
                words = {"chart": release.chart, "stated": release.version}
                yield finding("releases.another", where, version=version, **words)


def is_of(release: Release, obj: Object) -> bool:
    """Whether the release made an object, or took it over from a release of another name of the same chart."""
    notes = part(obj, "metadata", "annotations")
    if (notes.get(HOME), notes.get(OWNER)) == (release.namespace, release.name):
        return True
    return place(obj)[0] == release.namespace and version_of(release, obj) is not None


def version_of(release: Release, obj: Object) -> str | None:
    """The version in the label of the release's chart; None without one. The label has `_` in place of `+`."""
    label = labels(obj).get(CHART, "")
    rest = label.removeprefix(f"{release.chart}-")
    return rest if rest != label and rest.lstrip("v")[:1].isdigit() else None


def has_workloads(release: Release) -> bool:
    """Whether a chart runs anything: some hold nothing but CRDs."""
    from bedplate.stacks.profile.charts import installable  # noqa: PLC0415 - the whole profile comes with it
    from bedplate.stacks.profile.profile import Profile  # noqa: PLC0415

    charts = [chart for chart in installable(Profile).values() if isinstance(chart, Chart)]
    return not any(chart.name == release.chart and chart.crds == "release" for chart in charts)


def agents(desired: Desired, observed: Observed) -> Iterator[Finding]:
    """Workloads of ours with pods missing, agents that taints keep off nodes, and Jobs of ours that failed."""
    for kind, obj in ours(desired, observed):
        if fault := missing_pods(kind, obj):
            yield finding("agents.down", kind.title(obj), fault=fault + _reason(obj, observed))
        if kind == DAEMON_SET:
            yield from _uncovered(desired, observed, obj)
    for obj in desired.own(JOB, observed):
        if is_true(obj, "Failed"):
            why = conditions(obj)["Failed"].get("message", "no reason given")
            yield finding("agents.down", JOB.title(obj), fault=f"failed: {why}")


def ours(desired: Desired, observed: Observed) -> Iterator[tuple[Kind, Object]]:
    """Workloads in our namespaces, and those that the plan declares in namespaces of teams."""
    declared = {(declared.kind, declared.place) for declared in desired.objects}
    for kind in WORKLOADS:
        for obj in observed.of(kind):
            if (place(obj)[0] in desired.homes or (kind, place(obj)) in declared) and not _is_operand(obj):
                yield kind, obj


def _is_operand(obj: Object) -> bool:
    return any(owner.get("kind") in OPERATORS for owner in entries(obj, "metadata", "ownerReferences"))


def missing_pods(kind: Kind, obj: Object) -> str | None:
    """How many pods of a workload are missing; None: none is."""
    status = part(obj, "status")
    if status.get("observedGeneration", 0) < obj["metadata"].get("generation", 0):
        return "its last change has not been seen by its controller"
    if kind == DAEMON_SET:
        number, available = status.get("desiredNumberScheduled", 0), status.get("numberAvailable", 0)
    else:
        number, available = part(obj, "spec").get("replicas", 1), status.get("availableReplicas", 0)
    return f"{available} of {number} pods are available" if available < number else None


def _reason(obj: Object, observed: Observed) -> str:
    """Why pods of a workload are missing, with a colon before it; empty where its pods do not say."""
    selector = part(obj, "spec", "selector", "matchLabels").items()
    pods = [pod for pod in observed.of(POD) if place(pod)[0] == place(obj)[0] and selector <= labels(pod).items()]
    if pods:
        reason = explain([pod for pod in pods if not is_true(pod, "Ready")])
        return f": {reason}" if reason else ""
    # Of a DaemonSet nothing says that the API server refuses its pods.
    refused = is_true(obj, "ReplicaFailure")
    return f": {message(conditions(obj)['ReplicaFailure']) if refused else 'there is no pod of it'}"


def _uncovered(desired: Desired, observed: Observed, obj: Object) -> Iterator[Finding]:
    """Nodes of pools that a DaemonSet selects, and whose taints keep it away."""
    spec = part(obj, "spec", "template", "spec")
    pools = [pool for pool in desired.facts.pools if pool.selector and (pool.gpus or pool.nics)]
    pooled = [node for node in observed.of(NODE) if any(is_of_pool(node, pool) for pool in pools)]
    selected = [node for node in pooled if part(spec, "nodeSelector").items() <= labels(node).items()]
    if kept := [name(node) for node in selected if not tolerates(entries(spec, "tolerations"), node)]:
        yield finding("agents.kept-away", DAEMON_SET.title(obj), nodes=abridged(kept))


def tolerates(tolerations: Sequence[Mapping[str, str]], node: Object) -> bool:
    """Whether a pod tolerates all the node's taints that would keep it away."""
    taints = [taint for taint in entries(node, "spec", "taints") if taint["effect"] != "PreferNoSchedule"]
    return all(
        taint["key"].startswith(SYSTEM) or any(_matches(taint, toleration) for toleration in tolerations)
        for taint in taints
    )


def _matches(taint: Mapping[str, str], toleration: Mapping[str, str]) -> bool:
    """As kube-scheduler has it (k8s.io/api core/v1, Toleration.ToleratesTaint)."""
    if toleration.get("effect") not in (None, "", taint["effect"]):
        return False
    if toleration.get("operator") == "Exists":
        return toleration.get("key") in (None, "", taint["key"])
    return (toleration.get("key"), toleration.get("value", "")) == (taint["key"], taint.get("value", ""))
