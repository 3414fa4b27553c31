"""Wait for many objects at once by one watch; `kubectl wait` asks for each in turn and is throttled at ten a second."""

import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Timer

from lab.binaries import LabError
from lab.cluster import Cluster

PHASE = "{{.status.phase}}"


def condition(name: str) -> str:
    """A condition's status; empty while there is none."""
    return '{{range .status.conditions}}{{if eq .type "' + name + '"}}{{.status}}{{end}}{{end}}'


def watch(
    cluster: Cluster, what: str, state: str, done: Callable[[Mapping[str, str]], bool], seconds: float = 60
) -> dict[str, str]:
    """The state of each object by its name, as soon as `done` says so of all of them; `state` is a Go template.

    Unlike JSONPath and columns, a template bears objects that have no status yet.
    """
    line_each = "go-template={{.metadata.name}} " + state + '{{"\\n"}}'
    # In one chunk: of a list that comes in several, `--watch` prints nothing.
    options = ("--watch", "--chunk-size=0", "--output", line_each)
    command = [*cluster.kubectl_command, "get", *what.split(), *options]
    seen: dict[str, str] = {}
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        # The server may end a watch at any time; the next one starts from a new list.
        seen.clear()
        if _follow(command, seen, done, left):
            return seen
    raise LabError(f"{what}: not reached within {seconds:.0f} s: {summary(seen)}")


def established(cluster: Cluster, names: Iterable[str], seconds: float) -> None:
    """Wait until the API server serves each of these custom resource definitions."""
    wanted = set(names)
    there = condition("Established")
    watch(cluster, "crd", there, lambda seen: all(seen.get(one) == "True" for one in wanted), seconds)


def _follow(
    command: Sequence[str], seen: dict[str, str], done: Callable[[Mapping[str, str]], bool], seconds: float
) -> bool:
    """Keep `seen` current from one watch, until it is done (True) or the watch has ended."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        deadline = Timer(seconds, process.kill)
        deadline.start()
        try:
            for line in process.stdout or ():
                name, _, current = line.strip().partition(" ")
                seen[name] = current
                if done(seen):
                    return True
        finally:
            deadline.cancel()
            process.kill()
    return False


def counts(state: str, number: int) -> Callable[[Mapping[str, str]], bool]:
    """Whether so many objects are in a state."""
    return lambda seen: sum(value == state for value in seen.values()) >= number


def summary(seen: Mapping[str, str]) -> str:
    """How many objects are in which state."""
    states = sorted(set(seen.values()))
    return ", ".join(f"{sum(v == state for v in seen.values())} {state or 'unknown'}" for state in states) or "nothing"
