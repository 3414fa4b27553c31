"""Kueue's own labels and annotations on pods and templates: people state wishes by them, and Kueue its decisions.

Kueue takes what a pod says of itself for true: which group it belongs to, and that it is like the group's first pod
(`pod-group-name` and `role-hash`, pkg/controller/jobs/pod/pod_controller.go `getRoleHash`), that somebody else holds it
back (`pod-suspending-parent`), and whether it is Kueue's at all (`managed`, `Skip` of the same file). A group of
people's own making is therefore refused: its first pod is counted, and the others need only say that they are like it.
The hash itself cannot be held against anything, because Kueue's webhook has written one before a policy sees the pod.
All of kubernetes-sigs/kueue@v0.19.2.
"""

import re
from collections.abc import Iterator

from bedplate.components.tenancy.guards import BY_A_CONTROLLER, CREATED, MARKS, Limit, Watch, texts
from bedplate.components.workload.templates import PODS, TEMPLATES

PREFIX = "kueue.x-k8s.io/"
WISHES = [
    f"{PREFIX}{key}"
    for key in (
        *("queue-name", "priority-class", "max-exec-time-seconds"),
        *("podset-required-topology", "podset-preferred-topology", "podset-unconstrained-topology"),
        *("podset-slice-required-topology", "podset-slice-size", "podset-slice-required-topology-constraints"),
        "podset-group-name",
    )
]
"""What people ask by (pkg/controller/constants/constants.go, apis/kueue/v1beta2/topology_types.go)."""
GROUPS = [f"{PREFIX}{key}" for key in ("pod-group-name", "pod-group-total-count", "prebuilt-workload-name")]
"""By which a pod becomes a part of something (pkg/controller/jobs/pod/constants/constants.go). What controllers make
has none when it is made: Kueue itself writes them later, on the pods of StatefulSets and LeaderWorkerSets
(statefulset_pod_reconciler.go, leaderworkerset_reconciler.go)."""
PARENT = f"{PREFIX}pod-suspending-parent"
PARENTS = {
    "Deployment": "deployment",
    "StatefulSet": "statefulset",
    "LeaderWorkerSet": "leaderworkerset.x-k8s.io/leaderworkerset",
}
"""What Kueue's webhooks write into the templates of these kinds; with another's name they would step aside
(statefulset_controller.go `managedByAnotherFramework`)."""
WRITTEN = {
    "Pod": ("managed", "role-hash"),
    "Deployment": ("managed",),
    "LeaderWorkerSet": ("pod-group-serving", "pod-index-offset"),
}
"""What else they write before a policy sees the object (deployment_webhook.go, leaderworkerset_webhook.go,
pod_webhook.go)."""
BEFORE = re.sub(r"\bobject\b", "oldObject", " ".join(TEMPLATES.split()))
LABELS = "(has({0}.metadata) && has({0}.metadata.labels) ? {0}.metadata.labels : {{}})"
FINALIZERS = "(has({0}.metadata.finalizers) ? {0}.metadata.finalizers : []).filter(f, f.startsWith('" + PREFIX + "'))"


def mark_watch() -> Watch:
    """Judged whenever a person changes anything, because annotations and finalizers alone decide too."""
    return Watch(
        "mark",
        PODS,
        (_groups(), _wishes(), _kept()),
        when=f"{CREATED} || !{BY_A_CONTROLLER}",
        variables=(("before", f"request.operation == 'UPDATE' ? ({BEFORE}) : []"),),
    )


def _marks(owner: str) -> str:
    return f"[{LABELS.format(owner)}, {MARKS.format(owner)}]"


def _groups() -> Limit:
    """Whoever makes it: the pods of kinds whose templates nobody reads here carry what their templates say."""
    return Limit(
        f"request.operation != 'CREATE' || variables.templates.all(t, {_marks('t')}.all(m, "
        f"{texts(GROUPS)}.all(k, !(k in m))))",
        f"Kueue counts a group of pods by its first: remove {', '.join(GROUPS)}; a JobSet, a LeaderWorkerSet or a "
        "StatefulSet is admitted as a whole.",
    )


def _wishes() -> Limit:
    """Decisions that Kueue has written already may stay where they are."""
    there = f"variables.before.exists(b, {_marks('b')}.exists(n, k in n && n[k] == m[k]))"
    own = " || ".join(_own())
    asked = f"!k.startsWith('{PREFIX}') || k in {texts(WISHES)} || {own} || {there}"
    return Limit(
        f"{BY_A_CONTROLLER} || variables.templates.all(t, {_marks('t')}.all(m, m.all(k, {asked})))",
        f"Of {PREFIX} a pod template says queue-name, priority-class and podset-…: the rest is Kueue's to write.",
    )


def _own() -> Iterator[str]:
    """What the webhook of this very kind writes."""
    for kind, name in PARENTS.items():
        yield f"(object.kind == '{kind}' && k == '{PARENT}' && m[k] == '{name}')"
    for kind, keys in WRITTEN.items():
        yield f"(object.kind == '{kind}' && k in {texts(PREFIX + key for key in keys)})"


def _kept() -> Limit:
    """By its label Kueue takes a pod back, by its finalizer it sees the end; a pod on its way out may lose that."""
    pairs = " && ".join(
        f"{new}.all(k, !k.startsWith('{PREFIX}') || (k in {old} && {old}[k] == {new}[k]))"
        for shape in (LABELS, MARKS)
        for new, old in (
            (shape.format("object"), shape.format("oldObject")),
            (shape.format("oldObject"), shape.format("object")),
        )
    )
    ends = (
        f"has(object.metadata.deletionTimestamp) || {FINALIZERS.format('object')} == {FINALIZERS.format('oldObject')}"
    )
    return Limit(
        f"request.operation != 'UPDATE' || object.kind != 'Pod' || {BY_A_CONTROLLER} || ({pairs} && ({ends}))",
        f"Kueue reads a pod's labels, annotations and finalizers of {PREFIX} to take it back: leave them as they are.",
    )
