"""What we install: released at the version of the profile, with its pods ready, and its agents on every node."""

from collections.abc import Iterator, Mapping, Sequence

from bedplate.components.chart import Chart
from bedplate.jobs.objects import conditions, holds, said
from bedplate.jobs.pods import explain
from bedplate.live.checks.nodes import name, of, some
from bedplate.live.finding import Finding
from bedplate.live.kinds import DAEMON_SET, DEPLOYMENT, JOB, NODE, POD, STATEFUL_SET, Kind
from bedplate.live.reading import Object, Seen, entries, labels, part, place
from bedplate.live.wanted import Wanted
from bedplate.plan.adoption import Release

WORKLOADS = (DEPLOYMENT, STATEFUL_SET, DAEMON_SET)
OWNER, HOME = "meta.helm.sh/release-name", "meta.helm.sh/release-namespace"
"""Annotations that Helm gives to all that it makes (helm.sh/helm pkg/action/validate.go)."""
CHART = "helm.sh/chart"
NOTHING = "what the profile asks for is not installed"
BEHIND = "values and custom resources of the plan are written for the profile's version"
DOWN = "what it does is not done"
BARE = "what the agent does is not done on these nodes"
OPERATORS = frozenset({"ClusterPolicy", "NicClusterPolicy", "NicNodePolicy"})
"""Owners of operands, which the gates judge."""
SYSTEM = ("node.kubernetes.io/",)
"""Taints that every DaemonSet tolerates (kubernetes.io, DaemonSet, Taints and tolerations)."""


def releases(wanted: Wanted, seen: Seen) -> Iterator[Finding]:
    """Each by its workloads: Helm's own records are Secrets."""
    if not all(seen.knows(kind) for kind in WORKLOADS):
        return
    there = [one for kind in WORKLOADS for one in seen.of(kind)]
    for release in wanted.releases:
        mine = [one for one in there if is_of(release, one)]
        where = f"release {release.id}"
        if not mine and has_workloads(release):
            yield Finding("releases", where, f"nothing of {release.chart} {release.version} runs there", NOTHING)
        found = dict.fromkeys(version for one in mine if (version := version_of(release, one)))
        for other in (version for version in found if version.lstrip("v") != release.version.lstrip("v")):
            yield Finding(
                "releases", where, f"runs {release.chart} {other}, the profile says {release.version}", BEHIND
            )


def is_of(release: Release, one: Object) -> bool:
    """Made by it; or by one of another name that was taken over, by its chart."""
    notes = part(one, "metadata", "annotations")
    if (notes.get(HOME), notes.get(OWNER)) == (release.namespace, release.name):
        return True
    return place(one)[0] == release.namespace and version_of(release, one) is not None


def version_of(release: Release, one: Object) -> str | None:
    """As its chart's label says; None without one. A label has `_` for the `+` of a version."""
    label = labels(one).get(CHART, "")
    rest = label.removeprefix(f"{release.chart}-")
    return rest if rest != label and rest.lstrip("v")[:1].isdigit() else None


def has_workloads(release: Release) -> bool:
    """A chart of nothing but CRDs runs nothing."""
    from bedplate.stacks.profile.charts import installable  # noqa: PLC0415 - the whole profile comes with it
    from bedplate.stacks.profile.profile import Profile  # noqa: PLC0415

    charts = [one for one in installable(Profile).values() if isinstance(one, Chart)]
    return not any(one.name == release.chart and one.crds == "release" for one in charts)


def agents(wanted: Wanted, seen: Seen) -> Iterator[Finding]:
    """Workloads of ours that are not all there."""
    for kind, one in ours(wanted, seen):
        if fault := short(kind, one):
            yield Finding("agents", _called(kind, one), fault + _because(one, seen), DOWN)
        if kind == DAEMON_SET:
            yield from _uncovered(wanted, seen, one)
    for one in seen.of(JOB):
        failed = [c for c in entries(one, "status", "conditions") if c["type"] == "Failed"]
        if any(c["status"] == "True" for c in failed) and any(j.place == place(one) for j in wanted.of(JOB)):
            yield Finding("agents", _called(JOB, one), f"failed: {failed[0].get('message', 'no reason given')}", DOWN)


def ours(wanted: Wanted, seen: Seen) -> Iterator[tuple[Kind, Object]]:
    """In our namespaces, and what the plan declares in those of teams."""
    declared = {(one.kind, one.place) for one in wanted.objects}
    for kind in WORKLOADS:
        for one in seen.of(kind):
            if (place(one)[0] in wanted.homes or (kind, place(one)) in declared) and not _is_operand(one):
                yield kind, one


def _is_operand(one: Object) -> bool:
    return any(owner.get("kind") in OPERATORS for owner in entries(one, "metadata", "ownerReferences"))


def short(kind: Kind, one: Object) -> str | None:
    """How many of its pods are missing."""
    status = part(one, "status")
    if status.get("observedGeneration", 0) < one["metadata"].get("generation", 0):
        return "its last change has not been seen by its controller"
    if kind == DAEMON_SET:
        wanted, there = status.get("desiredNumberScheduled", 0), status.get("numberAvailable", 0)
    else:
        wanted, there = part(one, "spec").get("replicas", 1), status.get("availableReplicas", 0)
    return f"{there} of {wanted} pods are available" if there < wanted else None


def _called(kind: Kind, one: Object) -> str:
    return f"{kind.kind} {'/'.join(place(one))}"


def _because(one: Object, seen: Seen) -> str:
    chosen = part(one, "spec", "selector", "matchLabels")
    pods = [pod for pod in seen.of(POD) if place(pod)[0] == place(one)[0] and chosen.items() <= labels(pod).items()]
    waiting = [pod for pod in pods if not _is_ready(pod)]
    reason = explain(waiting) if waiting else None
    return f": {reason}" if reason else "" if pods else f": {_refused(one) or 'there is no pod of it'}"


def _refused(one: Object) -> str | None:
    """Why the API server takes none of its pods, as its controller heard it; of a DaemonSet nothing says so."""
    return said(conditions(one)["ReplicaFailure"]) if holds(one, "ReplicaFailure") else None


def _is_ready(pod: Object) -> bool:
    return any(one["type"] == "Ready" and one["status"] == "True" for one in entries(pod, "status", "conditions"))


def _uncovered(wanted: Wanted, seen: Seen, one: Object) -> Iterator[Finding]:
    """Nodes of pools that it is for, by its selector, and whose taints keep it away."""
    spec = part(one, "spec", "template", "spec")
    pools = [pool for pool in wanted.facts.pools if pool.selector and (pool.gpus or pool.nics)]
    pooled = [node for node in seen.of(NODE) if any(of(pool, node) for pool in pools)]
    chosen = part(spec, "nodeSelector")
    meant = [node for node in pooled if chosen.items() <= labels(node).items()]
    kept = [name(node) for node in meant if not tolerates(entries(spec, "tolerations"), node)]
    if kept:
        yield Finding("agents", _called(DAEMON_SET, one), f"does not tolerate the taints of {some(kept)}", BARE)


def tolerates(tolerations: Sequence[Mapping[str, str]], node: Object) -> bool:
    """All taints that would keep a pod away."""
    taints = [t for t in entries(node, "spec", "taints") if t["effect"] != "PreferNoSchedule"]
    return all(
        taint["key"].startswith(SYSTEM) or any(_tolerated(taint, one) for one in tolerations) for taint in taints
    )


def _tolerated(taint: Mapping[str, str], toleration: Mapping[str, str]) -> bool:
    """As kube-scheduler has it (k8s.io/api core/v1, Toleration.ToleratesTaint)."""
    if toleration.get("effect") not in (None, "", taint["effect"]):
        return False
    if toleration.get("operator") == "Exists":
        return toleration.get("key") in (None, "", taint["key"])
    return (toleration.get("key"), toleration.get("value", "")) == (taint["key"], taint.get("value", ""))
