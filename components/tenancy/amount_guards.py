"""That Kueue counts what a pod then has: every container says how much processor and memory it asks for.

A LimitRange cannot say it for people here. Kueue lays its `defaultRequest` over a template before it takes limits for
the requests that are missing (kubernetes-sigs/kueue@v0.19.2, pkg/workload/resources.go `AdjustResources`), the API
server does the latter first: a job with limits alone would be counted as the default and take its limits, or, where
those are less, never be admitted. Without defaults both take the limits.
"""

from bedplate.components.tenancy.daemons import FIRST
from bedplate.components.tenancy.guards import ASKED, Limit, Watch, texts
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


def _states(resources: str) -> str:
    ways = " || ".join(f"(has({resources}.{way}) && n in {resources}.{way})" for way in ("requests", "limits"))
    return f"{texts(COUNTED)}.all(n, {ways})"
