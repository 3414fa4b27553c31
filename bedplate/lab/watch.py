"""Wait for many objects at once by one watch; `kubectl wait` asks for each in turn and is throttled at ten a second."""

import time
from collections.abc import Callable, Iterable, Mapping

from bedplate.cluster.backoff import Backoff
from bedplate.cluster.errors import ClusterError
from bedplate.cluster.stream import stream
from bedplate.lab.binaries import LabError
from bedplate.lab.cluster import Cluster

PHASE = "{{.status.phase}}"
_USED = "(and $.status.used (index $.status.used $key))"
_UNCOUNTED = "{{range $key, $most := .spec.hard}}{{if not " + _USED + "}}{{$key}} {{end}}{{end}}"
"""Of a quota, the keys of which nobody has said what is used."""
SHORT, LONGER = 0.1, 2.0
"""Seconds between watches that end early: nobody else asks this API server."""


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
    backoff, broken = Backoff(time.monotonic() + seconds, SHORT, LONGER), ""
    while backoff.left > 0:
        # The server may end a watch at any time; the next one starts from a new list.
        seen.clear()
        began, broken = time.monotonic(), ""
        try:
            with stream(what, command, backoff.left) as lines:
                if _follow(lines, seen, done):
                    return seen
        except ClusterError as error:
            broken = f"; {error}"
        backoff.rest(began)
    raise LabError(f"{what}: not reached within {seconds:.0f} s: {summary(seen)}{broken}")


def established(cluster: Cluster, names: Iterable[str], seconds: float) -> None:
    """Wait until the API server serves each of these custom resource definitions."""
    expected = set(names)
    there = condition("Established")
    watch(cluster, "crd", there, lambda seen: all(seen.get(name) == "True" for name in expected), seconds)


def counted(cluster: Cluster, namespaces: Iterable[str], seconds: float = 180) -> None:
    """Wait until the quotas of these namespaces count what they name: until then all of it is refused.

    A cluster hears of new kinds once in 30 s, and then looks at all quotas again (in a lab every 10 s); of a kind that
    it does not serve it never hears.
    """
    served = set(cluster.kubectl("api-resources", "--output=name").split())

    def done(seen: Mapping[str, str]) -> bool:
        keys = (key.removeprefix("count/") for state in seen.values() for key in state.split())
        return served.isdisjoint(keys)

    for namespace in namespaces:
        watch(cluster, f"resourcequotas --namespace {namespace}", _UNCOUNTED, done, seconds)


def _follow(lines: Iterable[bytes], seen: dict[str, str], done: Callable[[Mapping[str, str]], bool]) -> bool:
    """Keep `seen` current from one watch, until it is done (True) or the watch has ended."""
    for line in lines:
        name, _, current = line.decode().strip().partition(" ")
        seen[name] = current
        if done(seen):
            return True
    return False


def counts(state: str, number: int) -> Callable[[Mapping[str, str]], bool]:
    """Whether so many objects are in a state."""
    return lambda seen: sum(value == state for value in seen.values()) >= number


def summary(seen: Mapping[str, str]) -> str:
    """How many objects are in which state."""
    states = sorted(set(seen.values()))
    return ", ".join(f"{sum(v == state for v in seen.values())} {state or 'unknown'}" for state in states) or "nothing"
