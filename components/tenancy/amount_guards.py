"""That Kueue counts what a pod then has, and can admit it: containers say what they ask for, jobs what they tolerate.

A LimitRange cannot say it for people here. Kueue lays its `defaultRequest` over a template before it takes limits for
the requests that are missing (kubernetes-sigs/kueue@v0.19.2, pkg/workload/resources.go `AdjustResources`), the API
server does the latter first: a job with limits alone would be counted as the default and take its limits, or, where
those are less, never be admitted. Without defaults both take the limits.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from bedplate.components.facts import Facts, NodePool
from bedplate.components.tenancy.daemons import FIRST, asks_for
from bedplate.components.tenancy.guards import ASKED, CREATED, Limit, Watch, texts
from bedplate.components.tenancy.kueue_marks import BEFORE
from bedplate.components.workload.controllers import CONTROLLERS, running
from bedplate.components.workload.kinds import KINDS
from bedplate.components.workload.templates import PODS, each_spec

COUNTED = ("cpu", "memory")
"""A team's quota counts both."""


def amount_watch() -> Watch:
    """Limits count as requests, for the container or for the whole pod."""
    pod = f"(has($s.resources) && {_states('$s.resources')})"
    each = f"($s.containers + {FIRST}).all(c, has(c.resources) && {_states('c.resources')})"
    return Watch(
        "amount",
        PODS,
        (
            Limit(
                each_spec(f"{pod} || {each}"),
                "The team's queue counts what containers ask for: give each, init containers too, resources.requests "
                "(or limits) of cpu and memory.",
            ),
        ),
        when=ASKED,
    )


def same_watch(facts: Facts) -> Watch:
    """Kueue lets the next pods of these kinds go by what the first ones asked for, and its webhooks let amounts change.

    kubernetes-sigs/kueue@v0.19.2, `ValidateImmutablePodGroupPodSpec`; the Workload is not written anew.
    """
    sets = [("apps", "v1", "statefulsets")]
    if CONTROLLERS["leaderWorkerSet"] in running(facts.training):
        sets.append(KINDS["LeaderWorkerSet"].admitted)
    return Watch(
        "same",
        tuple(sets),
        (
            Limit(
                f"variables.templates.map(t, {_amounts()}) == variables.before.map(t, {_amounts()})",
                "The team's queue has counted what its pods asked for at first: delete it, and make it with the new "
                "amounts.",
            ),
        ),
        when="object.spec != oldObject.spec",
        operations=("UPDATE",),
        variables=(("before", BEFORE),),
    )


def resized_watch() -> Watch:
    """Whoever asks: neither who makes pods larger in place nor an account that an operator lets do it asks a queue."""
    return Watch(
        "resized",
        (("", "v1", "pods/resize"),),
        (
            Limit(
                "object.spec == oldObject.spec",
                "The team's queue gave what the pod asked for at first, and nobody asks it for more: make a new pod.",
            ),
        ),
        when="true",
        operations=("UPDATE",),
    )


def taint_watches(facts: Facts) -> Iterator[Watch]:
    """What Kueue would never admit is refused at once: it reads the template, and its flavors add no toleration.

    Not the templates of servers: their pods are judged, and where the API server itself adds the toleration for a
    resource (GKE and EKS, ExtendedResourceToleration), it has by then.
    """
    limits = [_tolerates(name, pools) for name, pools in _tainted(facts).items()]
    kinds = tuple(kind for kind in PODS if kind[0] not in ("apps", KINDS["LeaderWorkerSet"].group))
    if limits:
        yield Watch("taint", kinds, tuple(limits), when=CREATED)


def _tainted(facts: Facts) -> dict[str, list[NodePool]]:
    """Pools by what their GPUs are asked for by, where each of them has a taint."""
    names = dict.fromkeys(name for pool in facts.pools for name in pool.gpu_resources)
    pools = {name: [pool for pool in facts.pools if name in pool.gpu_resources] for name in names}
    return {name: those for name, those in pools.items() if all(pool.taints for pool in those)}


def _tolerates(name: str, pools: list[NodePool]) -> Limit:
    """All taints of one of the pools."""
    somewhere = " || ".join(dict.fromkeys(f"({' && '.join(map(_tolerated, pool.taints))})" for pool in pools))
    ways = dict.fromkeys(", ".join(f"{{key: {one['key']}, operator: Exists}}" for one in pool.taints) for pool in pools)
    return Limit(
        each_spec(f"!({asks_for([name])}) || (has($s.tolerations) && ({somewhere}))"),
        f"Nodes with {name} have a taint, and the team's queue admits no job that does not tolerate it: add "
        f"{', or '.join(f'tolerations: [{way}]' for way in ways)}.",
    )


def _tolerated(taint: Mapping[str, Any]) -> str:
    key, value, effect = (texts([str(taint.get(part) or "")])[1:-1] for part in ("key", "value", "effect"))
    same = f"(has(o.operator) && o.operator == 'Exists') || (has(o.value) ? o.value : '') == {value}"
    always = f"!has(o.effect) || o.effect in ['', {effect}]"
    return f"$s.tolerations.exists(o, has(o.key) && o.key == {key} && ({always}) && ({same}))"


def _amounts() -> str:
    """Of template `t`: each container's, and those of the whole pod."""
    each = "map(c, has(c.resources) ? [c.resources] : [])"
    own = "(has(t.spec.resources) ? [t.spec.resources] : [])"
    return f"(t.spec.containers.{each} + {FIRST.replace('$s', 't.spec')}.{each} + [{own}])"


def _states(resources: str) -> str:
    ways = " || ".join(f"(has({resources}.{way}) && n in {resources}.{way})" for way in ("requests", "limits"))
    return f"{texts(COUNTED)}.all(n, {ways})"
