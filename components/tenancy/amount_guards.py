"""That Kueue counts what a pod then has: every container says how much processor and memory it asks for.

A LimitRange cannot say it for people here. Kueue lays its `defaultRequest` over a template before it takes limits for
the requests that are missing (kubernetes-sigs/kueue@v0.19.2, pkg/workload/resources.go `AdjustResources`), the API
server does the latter first: a job with limits alone would be counted as the default and take its limits, or, where
those are less, never be admitted. Without defaults both take the limits.
"""

from bedplate.components.facts import Facts
from bedplate.components.tenancy.daemons import FIRST
from bedplate.components.tenancy.guards import ASKED, Limit, Watch, texts
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


def _amounts() -> str:
    """Of template `t`: each container's, and those of the whole pod."""
    each = "map(c, has(c.resources) ? [c.resources] : [])"
    own = "(has(t.spec.resources) ? [t.spec.resources] : [])"
    return f"(t.spec.containers.{each} + {FIRST.replace('$s', 't.spec')}.{each} + [{own}])"


def _states(resources: str) -> str:
    ways = " || ".join(f"(has({resources}.{way}) && n in {resources}.{way})" for way in ("requests", "limits"))
    return f"{texts(COUNTED)}.all(n, {ways})"
