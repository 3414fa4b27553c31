"""Probes that know how long a model takes to load."""

from policies.facts import Facts
from policies.rule import ADVISORY, MANDATORY, Complaints, rule
from policies.servers import probe_seconds, servers
from policies.values import dig, whole
from policies.workloads import Workload

LOADING = 600
"""Seconds that a large model may take from a network file system."""


@rule(
    "INF-602",
    "Model servers have time to load",
    MANDATORY,
    on=Workload,
    why="The kubelet kills the server while it loads its weights, again and again",
    fix=f"Add a startupProbe with failureThreshold x periodSeconds of at least {LOADING}",
    source="kserve/kserve#5063; llm-d/llm-d-benchmark#83",
)
def time_to_load(workload: Workload, _: Facts) -> Complaints:
    """A startup probe holds the liveness probe back until the model is loaded."""
    for _pod, container in servers(workload):
        seconds = probe_seconds(container, "startupProbe")
        if not whole(container.get("startupProbe")):
            continue
        if seconds is None:
            alive = " and has a livenessProbe" if dig(container, "livenessProbe") is not None else ""
            yield f"has no startupProbe{alive}"
        elif seconds < LOADING:
            yield f"startupProbe gives up after {seconds:.0f} s"


@rule(
    "INF-603",
    "Ready means that the model answers",
    ADVISORY,
    on=Workload,
    why="Requests get 503 right after the pod is Ready",
    fix="Probe /v1/models for readiness and keep /health for liveness",
    source="llm-d documentation on probes",
)
def ready_with_model(workload: Workload, _: Facts) -> Complaints:
    """/health answers before the model is served."""
    for _pod, container in servers(workload):
        if dig(container, "readinessProbe", "httpGet", "path") == "/health":
            yield "readinessProbe asks /health"
