"""Probes that know how long a model takes to load."""

from policies.facts import Facts
from policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from policies.servers import USUAL_READ, fastest_start, probe_seconds, servers, weights
from policies.values import items
from policies.workloads import Workload

LOADING = 600
"""Seconds that a large model may take from a network file system."""


@rule(
    "INF-602",
    "Model servers have time to load",
    ADVISORY,
    also=MANDATORY,
    on=Workload,
    why="The kubelet kills the server while it loads its weights, again and again",
    fix=f"Add a startupProbe with failureThreshold x periodSeconds of at least {LOADING}",
    source="kserve/kserve#5063; llm-d/llm-d-benchmark#83",
    proof="a probe that gives up before the engine can be up, by the model's size and the fastest disks",
)
def time_to_load(workload: Workload, _: Facts) -> Complaints:
    """A startup probe holds the liveness probe back until the model is loaded.

    It is proven where a probe gives up before the engine can be up at all: its own start, and the weights that the
    model's name tells at the rate of the fastest local disks. At a usual rate it depends on what holds the weights.
    Without a liveness probe nothing is killed.
    """
    for _pod, container in servers(workload):
        started = probe_seconds(container, "startupProbe")
        alive = probe_seconds(container, "livenessProbe")
        seconds = alive if started is None else started
        if seconds is None or seconds >= LOADING:
            continue
        reason = "has no startupProbe and its livenessProbe" if started is None else "startupProbe"
        least = fastest_start(container)
        usual = weights(container) / USUAL_READ
        what = f"{reason} gives up after {seconds:.0f} s"
        if seconds < least:
            yield Complaint(f"{what}, the start takes {least:.0f} s", severity=MANDATORY)
        elif usual > seconds:
            gigabytes = weights(container)
            yield f"{what}; right only where its weights come faster than {gigabytes / seconds:.0f} GB/s"
        else:
            yield what


@rule(
    "INF-603",
    "Ready means that the model answers",
    ADVISORY,
    on=Workload,
    why="A container without one is ready when it starts: requests are refused while the model loads",
    fix="Add a readinessProbe on /health, which vLLM serves once the engine is up, or on /v1/models",
    source="vllm-project/vllm vllm/entrypoints/openai/api_server.py; Kubernetes documentation on probes",
)
def ready_with_model(workload: Workload, _: Facts) -> Complaints:
    """A server that a Service sends requests to says when it can answer them."""
    for _pod, container in servers(workload):
        if items(container.get("ports")) and container.get("readinessProbe") is None:
            yield "has no readinessProbe"
