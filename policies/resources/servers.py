"""What command lines say: of the size of a job, and of a vLLM server."""

import re
from collections.abc import Iterator

from bedplate.policies.resources.pod import Pod, argv
from bedplate.policies.resources.workloads import Workload
from bedplate.policies.values import Tree, dig, text

LAUNCHER = re.compile(r"(^|[\s/])(torchrun|mpirun|mpiexec|deepspeed|accelerate|torch\.distributed\.(run|launch))\b")


def option(line: str, *names: str) -> str | None:
    """The value of the first of these options, written `--name value`, `--name=value`, with dashes or underscores."""
    for name in names:
        pattern = re.escape(name).replace("_", "[-_]")
        if found := re.search(rf"(?:^|\s){pattern}(?:=|\s+)[\"']?([^\s\"']+)", line):
            return found[1]
    return None


def number(line: str, *names: str) -> int | None:
    """An option's value where it is a plain number: variables and ranges are left to the job."""
    value = option(line, *names)
    return int(value) if value and value.isdigit() else None


def launches(pod: Pod) -> bool:
    """Whether the pod starts a distributed launcher."""
    return any(LAUNCHER.search(line) for line in pod.lines)


def script_options(line: str) -> str:
    """What is handed to the training script: everything after its name."""
    return line.partition(".py ")[2].strip()


IMAGE = re.compile(r"(^|/)vllm|/vllm-openai")
SERVE = re.compile(r"vllm serve|vllm\.entrypoints")
ELSEWHERE = re.compile(
    r"data[-_]parallel[-_](size[-_]local|address|hybrid|start)|--headless|--nnodes|backend[= ]ray"
    r"|\bray start\b"
)
"""Options by which some of the ranks are in other pods."""
KINDS = {"Deployment", "StatefulSet", "LeaderWorkerSet", "DisaggregatedSet", "Pod"}


def line(container: Tree) -> str:
    """The container's command line."""
    return " ".join(argv(container))


END = re.compile(r"(?<!\\)\n|&&|\|\||;|\s[|&](?=\s|$)")
"""Where a command of a shell's script ends."""


def command(container: Tree) -> str:
    """The server's own command: in a shell's script there may be others, with options of the same names."""
    for each in argv(container):
        if (found := SERVE.search(each)) and any(map(str.isspace, each[found.end() :].strip())):
            return END.split(each[found.start() :], maxsplit=1)[0]
    return line(container)


def serves(container: Tree) -> bool:
    """Whether a container is a vLLM server: by its command, or by the image's own entry point."""
    own = container.get("command") is None and bool(IMAGE.search(text(container.get("image"))))
    return bool(SERVE.search(line(container))) or own


def servers(workload: Workload) -> Iterator[tuple[Pod, Tree]]:
    """Each vLLM server container with its pod."""
    for pod in workload.pods:
        if workload.kind not in KINDS and not pod.completed:
            continue
        yield from ((pod, container) for container in pod.containers if serves(container))


def ranks(container: Tree) -> int:
    """GPUs that the server divides one model over, times its data-parallel copies."""
    said = command(container)
    tensor = number(said, "--tensor_parallel_size", "-tp") or 1
    pipeline = number(said, "--pipeline_parallel_size", "-pp") or 1
    return tensor * pipeline * (number(said, "--data_parallel_size", "-dp") or 1)


def alone(container: Tree) -> bool:
    """Whether the server has no ranks but those in its own pods."""
    return not ELSEWHERE.search(line(container))


def tensor_parallel(container: Tree) -> bool:
    """Whether each step runs on several GPUs at once."""
    return (number(command(container), "--tensor_parallel_size", "-tp") or 1) > 1


def plain(container: Tree) -> bool:
    """Whether the degrees are all plain numbers or left at one."""
    names = (("--tensor_parallel_size", "-tp"), ("--pipeline_parallel_size", "-pp"), ("--data_parallel_size", "-dp"))
    values = [option(command(container), *each) for each in names]
    return all(value is None or value.isdigit() for value in values)


def model(container: Tree) -> str:
    """The model that is served: a name on the hub or a path."""
    said = command(container)
    found = option(said, "--model") or option(said, "serve")
    return found if found and not found.startswith("-") else ""


ENGINE_START = 30
"""Seconds in which vLLM's engine is up at best, with a small model in the page cache."""
FASTEST_READ = 56.0
"""Gigabytes a second at which weights come from local disks at best: eight drives of PCIe 4 with 7 GB/s each, as a DGX
H100 has them (NVIDIA DGX H100 user guide, storage)."""
USUAL_READ = 2.0
"""The same of a node with one or two local disks, or of a fast network file system."""
SIZE = re.compile(r"(?<![\dx.])(\d+(?:\.\d+)?)b\b", re.IGNORECASE)
QUANTIZED = re.compile(r"awq|gptq|fp8|int8|int4|fp4|gpt-oss|w4a16|w8a8|bnb|gguf|quantiz", re.IGNORECASE)


def weights(container: Tree) -> float:
    """Gigabytes that the server must read at the very least, by its model's name; 0 where that is not told."""
    found = SIZE.search(model(container))
    if found is None or option(line(container), "--load_format") == "dummy":
        return 0
    return float(found[1]) * (0.5 if QUANTIZED.search(line(container)) else 2)


def fastest_start(container: Tree) -> float:
    """Seconds that a server needs at the very least."""
    return ENGINE_START + weights(container) / FASTEST_READ


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
