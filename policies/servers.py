"""vLLM servers among the workloads, and what their command lines say."""

import re
from collections.abc import Iterator

from policies.commands import number, option
from policies.pod import Pod, argv
from policies.values import Tree, dig, text
from policies.workloads import Workload

IMAGE = re.compile(r"(^|/)vllm|/vllm-openai")
SERVE = re.compile(r"vllm serve|vllm\.entrypoints")
KINDS = {"Deployment", "StatefulSet", "LeaderWorkerSet", "Pod"}


def line(container: Tree) -> str:
    """The container's command line."""
    return " ".join(argv(container))


def serves(container: Tree) -> bool:
    """Whether a container is a vLLM server: by its command, or by the image's own entry point."""
    own = container.get("command") is None and bool(IMAGE.search(text(container.get("image"))))
    return bool(SERVE.search(line(container))) or own


def servers(workload: Workload) -> Iterator[tuple[Pod, Tree]]:
    """Each vLLM server container with its pod."""
    for pod in workload.pods if workload.resource.kind in KINDS else ():
        yield from ((pod, container) for container in pod.containers if serves(container))


def ranks(container: Tree) -> int:
    """GPUs that the server divides one model over, times its data-parallel copies."""
    command = line(container)
    tensor = number(command, "--tensor_parallel_size", "-tp") or 1
    pipeline = number(command, "--pipeline_parallel_size", "-pp") or 1
    return tensor * pipeline * (number(command, "--data_parallel_size", "-dp") or 1)


def plain(container: Tree) -> bool:
    """Whether the degrees are all plain numbers or left at one."""
    names = (("--tensor_parallel_size", "-tp"), ("--pipeline_parallel_size", "-pp"), ("--data_parallel_size", "-dp"))
    values = [option(line(container), *each) for each in names]
    return all(value is None or value.isdigit() for value in values)


def model(container: Tree) -> str:
    """The model that is served: a name on the hub or a path."""
    command = line(container)
    found = option(command, "--model") or option(command, "serve")
    return found if found and not found.startswith("-") else ""


def probe_seconds(container: Tree, name: str) -> float | None:
    """How long a probe waits before it gives up; None where the container has none."""
    probe = container.get(name)
    if probe is None:
        return None
    period, failures = dig(probe, "periodSeconds"), dig(probe, "failureThreshold")
    delay = dig(probe, "initialDelaySeconds")
    return _or(delay, 0) + _or(period, 10) * _or(failures, 3)


def _or(value: object, default: float) -> float:
    if isinstance(value, int | float):
        return float(value)
    return default if value is None else float("inf")
