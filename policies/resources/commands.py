"""What a command line says about the size of a job."""

import re

from bedplate.policies.resources.pod import Pod

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
