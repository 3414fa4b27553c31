"""Rollouts, disruptions, probes and the way in."""

import re
from collections.abc import Iterator

from bedplate.policies.facts import Facts
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.servers import (
    USUAL_READ,
    command,
    fastest_start,
    line,
    number,
    option,
    probe_seconds,
    servers,
    serves,
    weights,
)
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import Tree, dig, integer, items, text, texts, tree, trees, whole

RETIRED = "nginx"


@rule("INF-608", ADVISORY, on=Workload)
def rollout_fits(workload: Workload, facts: Facts) -> Complaints:
    """A GPU Deployment surges only where the profile says that enough GPUs are free."""
    strategy = workload.resource.at("spec", "strategy")
    if workload.kind != "Deployment" or facts.spare_gpus is None or not whole(strategy):
        return
    surges = dig(strategy, "type") != "Recreate" and dig(strategy, "rollingUpdate", "maxSurge") not in (0, "0", "0%")
    for pod in workload.gpu_pods:
        if surges and pod.gpus > facts.spare_gpus:
            yield f"surges by {pod.gpus} GPUs, {facts.spare_gpus} are free"


@rule("INF-613", ADVISORY, on=Stack)
def disruption_budget(stack: Stack) -> Complaints:
    """GPU Deployments with two or more replicas have a budget that lets one pod go."""
    budgets = stack.of("PodDisruptionBudget")
    known = stack.named("PodDisruptionBudget") and all(whole(budget.at("spec")) for budget in budgets)
    for workload in stack.workloads:
        replicas = integer(workload.resource.spec.get("replicas")) or 1
        if workload.kind != "Deployment" or replicas < 2 or not workload.gpu_pods:  # noqa: PLR2004 (a pair)
            continue
        mine = [budget for budget in budgets if _guards(budget, workload)]
        if not mine and known and workload.resource.namespace and workload.pods[0].marks_known:
            yield Complaint(f"has {replicas} replicas and no PodDisruptionBudget", about=workload.resource)
        for budget in mine:
            if integer(budget.spec.get("minAvailable")) == replicas:
                yield Complaint(f"minAvailable {replicas} lets no pod of {workload.title} go", about=budget)


def _guards(budget: Resource, workload: Workload) -> bool:
    if budget.namespace != workload.resource.namespace:
        return False
    selector = tree(dig(budget.spec, "selector", "matchLabels"))
    labels = workload.pods[0].labels
    return bool(selector) and all(labels.get(key) == value for key, value in selector.items())


@rule("INF-614", ADVISORY, on=("Ingress",))
def maintained_ingress(ingress: Resource, _: Facts) -> Complaints:
    """No Ingress names the retired controller, by class or by annotation."""
    if text(ingress.spec.get("ingressClassName")) == RETIRED:
        yield f"ingressClassName is {RETIRED}"
    if any(key.startswith("nginx.ingress.kubernetes.io/") for key in ingress.annotations):
        yield "has annotations of ingress-nginx"


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
        fix = f"Add a startupProbe with failureThreshold x periodSeconds of at least {LOADING}"
        if seconds < least:
            yield Complaint(f"{what}, the start takes {least:.0f} s", fix, MANDATORY)
        elif usual > seconds:
            rate = weights(container) / seconds
            yield Complaint(f"{what}; right only where its weights come faster than {rate:.0f} GB/s", fix)
        else:
            yield Complaint(what, fix)


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


KSERVE = "serving.kserve.io"
"""Adds no name to the ports of a container: what a runtime does not name, an InferenceService may."""
NO_QUESTION = re.compile(r"(?:\S*sh -c )?(?:exit 0|(?:/usr)?(?:/bin/)?true|:|echo\b[^|;&]*)")
"""Commands that succeed whatever the server does."""


@rule("INF-620", ADVISORY, on=Workload)
def probes_ask(workload: Workload, _: Facts) -> Complaints:
    """A command of a probe can fail."""
    for pod in workload.pods:
        for container in pod.containers:
            for name in PROBES:
                command = " ".join(texts(dig(container, name, "exec", "command")))
                if NO_QUESTION.fullmatch(command.strip()):
                    yield f"{name} of container {text(container.get('name'))} is `{command}`, which always succeeds"


def _told(container: Tree, port: object) -> bool:
    """Whether a server listens where its options or its variables say, whatever ports it lists."""
    said = [line(container), *(text(each.get("value")) for each in trees(container.get("env")))]
    return serves(container) or any(re.search(rf"(?<!\d){integer(port)}(?!\d)", each) for each in said)


@rule("INF-616", MANDATORY, also=ADVISORY, on=Workload)
def probes_ask_the_server(workload: Workload, _: Facts) -> Complaints:
    """A name is of the container's own ports; so is a number where there is one of both, and no option says it.

    vLLM's options say its own.
    """
    group = workload.resource.group
    completed = any(each.completed for each in workload.pods)
    for pod in workload.pods if not completed or group == KSERVE else ():
        for container in pod.containers if whole(pod.spec) else ():
            names = {text(port.get("name")) for port in trees(container.get("ports"))}
            numbers = {integer(port.get("containerPort")) for port in trees(container.get("ports"))}
            only = len(numbers) == 1 and len(pod.containers) == 1 and not completed
            for probe, port in _asked(container):
                where = f"{probe} asks the port {port}, which container {text(container.get('name'))}"
                if text(port) and text(port) not in names and integer(port) is None:
                    yield Complaint(f"{where} has not", severity=ADVISORY if completed else None)
                elif only and not _told(container, port) and integer(port) not in {None, *numbers}:
                    yield Complaint(f"{where} does not name among its own", severity=ADVISORY)
    for pod, container in servers(workload):
        stated = option(command(container), "--port")
        listens = number(command(container), "--port") if stated else PORT
        alone = len(pod.containers) == 1 and whole(pod.spec) and not pod.completed and listens is not None
        for probe, port in _asked(container) if alone else ():
            if integer(port) not in (None, listens):
                yield Complaint(f"{probe} asks the port {integer(port)}, vLLM listens on {listens}", severity=ADVISORY)
