"""Autoscalers: a metric that means load, exists, and has room to act."""

import re
from collections import defaultdict
from collections.abc import Iterator

from bedplate.policies.facts import Facts
from bedplate.policies.resources.model import Resource
from bedplate.policies.resources.pod import Pod
from bedplate.policies.resources.pools import apart, pools_of, together
from bedplate.policies.resources.stack import Stack
from bedplate.policies.resources.volumes import claim, of_a_node, on_one_node
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.rule import ADVISORY, MANDATORY, Complaint, Complaints, rule
from bedplate.policies.values import Tree, dig, flatten, integer, text, trees, whole

GPU_LOAD = re.compile(r"gpu.?util|DCGM_FI_DEV_GPU_UTIL|nvidia_gpu_duty_cycle", re.IGNORECASE)
VLLM_METRIC = re.compile(
    r"(?<![\w:])vllm_((?:num_requests|(?:gpu|kv)_cache|time_|e2e_|(?:prompt|generation)_tokens)\w*)"
)
SCALERS = ("HorizontalPodAutoscaler", "ScaledObject")


def _metrics(scaler: Resource) -> Iterator[tuple[str, str]]:
    """Kind and name, or query, of each metric that an autoscaler reads."""
    for metric in trees(scaler.spec.get("metrics")):
        kind = text(metric.get("type"))
        name = text(dig(metric, kind.lower(), "metric", "name"))
        if name:
            yield kind, name
    for trigger in trees(scaler.spec.get("triggers")):
        yield "trigger", text(dig(trigger, "metadata", "query"))


def _target(scaler: Resource) -> tuple[str, str, str]:
    target = scaler.spec.get("scaleTargetRef")
    return scaler.namespace, text(dig(target, "kind")) or "Deployment", text(dig(target, "name"))


def _scaled(stack: Stack) -> Iterator[tuple[Resource, Workload]]:
    """Each autoscaler with the workload that it scales."""
    workloads: dict[tuple[str, str, str], list[Workload]] = defaultdict(list)
    for workload in stack.workloads:
        each = workload.resource
        workloads[each.namespace, each.kind, each.object_name].append(workload)
    for scaler in stack.of(*SCALERS):
        yield from ((scaler, workload) for workload in workloads.get(_target(scaler), ()))


@rule("INF-604", ADVISORY, on=SCALERS)
def scale_on_queue(scaler: Resource, _: Facts) -> Complaints:
    """GPU utilisation says that a model is loaded and working, not that requests wait."""
    for _kind, name in _metrics(scaler):
        if found := GPU_LOAD.search(name):
            yield f"scales on {found[0]}"


@rule("INF-605", MANDATORY, also=ADVISORY, on=Stack)
def metric_exists(stack: Stack) -> Complaints:
    """Pods and External metrics are made by an adapter rule of the stack.

    Names have no colon, but for those of Google's Stackdriver adapter: `prometheus.googleapis.com|...|gauge`. A query
    of KEDA asks Prometheus itself, where vLLM's metrics have one, unless a rule there makes another name.
    """
    made = {text(each.get("record")) for each in _recorded(stack)}
    known = all(whole(each.spec) for each in stack.of("PrometheusRule"))
    for scaler in stack.of("ScaledObject") if known else ():
        for found in (VLLM_METRIC.search(name) for _, name in _metrics(scaler)):
            if found and found[0] not in made:
                what = f"asks Prometheus for {found[0]}, which vLLM calls vllm:{found[1]}"
                yield Complaint(what, severity=ADVISORY, about=scaler)
    adapters = stack.releases("prometheus-adapter")
    everything = any(adapter.switch("rules", "default", default=True) is not False for adapter in adapters)
    readable = not everything and all(whole(adapter.value("rules")) for adapter in adapters)
    rules = [line for adapter in adapters for line in flatten(adapter.value("rules"))]
    for scaler in stack.of("HorizontalPodAutoscaler"):
        for kind, name in _metrics(scaler):
            if kind not in {"Pods", "External"}:
                continue
            if ":" in name and "|" not in name:
                yield Complaint(f"the metric {name} has a colon", severity=ADVISORY, about=scaler)
            elif (adapters or stack.lacks("prometheus-adapter")) and readable and not _made(name, rules):
                yield Complaint(f"nothing makes the metric {name}", about=scaler)


def _recorded(stack: Stack) -> Iterator[Tree]:
    for each in stack.of("PrometheusRule"):
        yield from (one for group in trees(each.spec.get("groups")) for one in trees(group.get("rules")))


def _made(name: str, rules: list[str]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line) for line in rules)


@rule("INF-606", MANDATORY, also=ADVISORY, on=Stack)
def one_autoscaler(stack: Stack) -> Complaints:
    """No workload is the target of two autoscalers."""
    targets: dict[tuple[str, str, str], Resource] = {}
    for scaler in stack.of(*SCALERS):
        target = _target(scaler)
        if not target[-1]:
            continue
        if other := targets.get(target):
            what = f"scales {target[1]} {target[2]}, as {other.title} does"
            yield Complaint(what, about=scaler, beside=other)
        targets.setdefault(target, scaler)


def _most(scaler: Resource) -> int | None:
    return integer(scaler.spec.get("maxReplicas", scaler.spec.get("maxReplicaCount")))


@rule("INF-607", ADVISORY, on=Stack)
def maximum_fits(stack: Stack) -> Complaints:
    """All replicas at the maximum have GPUs."""
    for scaler, workload in _scaled(stack):
        most = _most(scaler) or 0
        for pod in workload.gpu_pods:
            pools = pools_of(pod, stack.facts)
            sizes = [pool.units for pool in pools if pool.units is not None]
            if pools and len(sizes) == len(pools) and most * pod.gpus > sum(sizes):
                what = f"{most} replicas need {most * pod.gpus} GPUs, the pools have {sum(sizes)}"
                yield Complaint(what, about=scaler)


@rule("INF-611", MANDATORY, also=ADVISORY, on=Stack)
def shared_model_volume(stack: Stack) -> Complaints:
    """A Deployment with several replicas, now or by autoscaling, mounts no volume of a single node.

    ReadWriteOnce is for a node, not for a pod: replicas that are all on one share it.
    """
    most = {workload.resource.urn: _most(scaler) or 0 for scaler, workload in _scaled(stack)}
    for workload in stack.workloads:
        for pod in workload.gpu_pods if workload.kind == "Deployment" else ():
            replicas = max(integer(pod.replicas) or 0, most.get(workload.resource.urn, 0))
            for name in pod.claims if replicas > 1 else ():
                found = claim(stack, pod.resource.namespace, name)
                if found and whole(found.at("spec")):
                    yield from _mounted(stack, pod, replicas, found)


def _mounted(stack: Stack, pod: Pod, replicas: int, found: Resource) -> Complaints:
    """What is wrong with several replicas of a pod that mount a claim."""
    reason = on_one_node(stack, found)
    what = f"several replicas mount it but {reason}"
    if reason and (not of_a_node(found) or apart(pod, replicas, stack.facts)):
        yield Complaint(what, about=pod.resource)
    elif reason and not together(pod):
        unless = "right only where all replicas are on one node"
        yield Complaint(f"{what}; {unless}", severity=ADVISORY, about=pod.resource)
