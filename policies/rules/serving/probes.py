"""Probes that know how long a model takes to load."""

from collections.abc import Iterator

from bedplate.policies.facts import Facts
from bedplate.policies.resources.commands import number, option
from bedplate.policies.resources.servers import USUAL_READ, fastest_start, line, probe_seconds, servers, serves, weights
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import Tree, dig, integer, items, text, trees, whole

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


PROBES = ("startupProbe", "livenessProbe", "readinessProbe")
PORT = 8000
"""Where vLLM listens unless it is told otherwise."""


def _asked(container: Tree) -> Iterator[tuple[str, object]]:
    """Each probe with the port that it asks."""
    for name in PROBES:
        for way in ("httpGet", "tcpSocket"):
            if (port := dig(container, name, way, "port")) is not None:
                yield name, port


@rule(
    "INF-616",
    "Probes ask a port that is there",
    MANDATORY,
    also=ADVISORY,
    on=Workload,
    why="The probe never succeeds: the container is restarted for ever, or its pod is never ready",
    fix="Probe the port that the server listens on",
    source="Kubernetes documentation on probes; llm-d/llm-d-benchmark#1435; vLLM documentation",
    proof="a probe that names a port which its own container does not have",
)
def probes_ask_the_server(workload: Workload, _: Facts) -> Complaints:
    """A name is of the container's own ports; so is a number where there is one of both. vLLM's options say its own."""
    for pod in workload.pods if not any(each.completed for each in workload.pods) else ():
        for container in pod.containers if whole(pod.spec) else ():
            names = {text(port.get("name")) for port in trees(container.get("ports"))}
            numbers = {integer(port.get("containerPort")) for port in trees(container.get("ports"))}
            only = len(numbers) == 1 and len(pod.containers) == 1
            for probe, port in _asked(container):
                where = f"{probe} asks the port {port}, which container {text(container.get('name'))}"
                if text(port) and text(port) not in names and integer(port) is None:
                    yield f"{where} has not"
                elif only and integer(port) not in {None, *numbers} and not serves(container):
                    yield Complaint(f"{where} does not name among its own", severity=ADVISORY)
    for pod, container in servers(workload):
        told = option(line(container), "--port")
        listens = number(line(container), "--port") if told else PORT
        alone = len(pod.containers) == 1 and whole(pod.spec) and not pod.completed and listens is not None
        for probe, port in _asked(container) if alone else ():
            if integer(port) not in (None, listens):
                yield Complaint(f"{probe} asks the port {integer(port)}, vLLM listens on {listens}", severity=ADVISORY)
