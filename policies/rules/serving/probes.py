"""Probes that know how long a model takes to load."""

from collections.abc import Iterator

from bedplate.policies.facts import Facts
from bedplate.policies.resources.commands import number, option
from bedplate.policies.resources.servers import USUAL_READ, fastest_start, line, probe_seconds, servers, weights
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import Tree, dig, integer, items, text, trees, whole

LOADING = 600
"""Seconds that a large model may take from a network file system."""


@rule("INF-602", ADVISORY, also=MANDATORY, on=Workload)
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


@rule("INF-603", ADVISORY, on=Workload)
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


@rule("INF-616", MANDATORY, also=ADVISORY, on=Workload)
def probes_ask_the_server(workload: Workload, _: Facts) -> Complaints:
    """A name is of the container's own ports; a number is vLLM's, where it is the only container of its pod."""
    for pod in workload.pods if not any(each.completed for each in workload.pods) else ():
        for container in pod.containers if whole(pod.spec) else ():
            names = {text(port.get("name")) for port in trees(container.get("ports"))}
            for probe, port in _asked(container):
                if text(port) and text(port) not in names and integer(port) is None:
                    yield f"{probe} asks the port {text(port)}, which container {text(container.get('name'))} has not"
    for pod, container in servers(workload):
        told = option(line(container), "--port")
        listens = number(line(container), "--port") if told else PORT
        alone = len(pod.containers) == 1 and whole(pod.spec) and not pod.completed and listens is not None
        for probe, port in _asked(container) if alone else ():
            if integer(port) not in (None, listens):
                yield Complaint(f"{probe} asks the port {integer(port)}, vLLM listens on {listens}", severity=ADVISORY)
