"""Wait for API objects by list and watch, through the one tool that knows every way into a cluster: kubectl.

It only carries the requests (`kubectl get --raw`). A client of our own would have to know exec plugins, proxies and
certificates, and Kubernetes' own for Python brings fifteen packages for two reads (docs/decisions/0007).
"""

import json
import subprocess
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Timer
from typing import Any

Found = dict[str, dict[str, Any]]
Judge = Callable[[list[Mapping[str, Any]]], list[str]]


class ClusterError(Exception):
    """What the cluster did not do, or does not have, in words for whoever has to mend it."""


def kubectl(context: str, *arguments: str, stdin: str = "") -> str:
    """What kubectl prints on the cluster behind a kubeconfig context; its complaint is the error."""
    command = ("kubectl", "--context", context, *arguments)
    try:
        done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    except OSError as error:
        raise ClusterError(f"kubectl: cannot be started ({error.strerror}): install it, and put it on PATH") from error
    if done.returncode:
        raise ClusterError(f"kubectl {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


@dataclass(frozen=True)
class Reader:
    """The cluster behind one kubeconfig context."""

    context: str

    def look(self, path: str) -> tuple[Found, str]:
        """The objects below an API path by their id, and the version of that answer."""
        answer = json.loads(kubectl(self.context, "get", "--raw", path))
        return {one["metadata"]["uid"]: one for one in answer["items"]}, answer["metadata"]["resourceVersion"]

    @contextmanager
    def changes(self, path: str, version: str, seconds: float) -> Generator[Iterator[Mapping[str, Any]]]:
        """Changes since that answer, until the server ends the watch or the time is up."""
        watch = f"{path}?watch=true&resourceVersion={version}&timeoutSeconds={max(1, int(seconds))}"
        command = ("kubectl", "--context", self.context, "get", "--raw", watch)
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:  # noqa: S603
            # A connection that died quietly would outlive the server's own timeout.
            end = Timer(seconds, process.kill)
            end.start()
            try:
                yield (json.loads(line) for line in process.stdout or ())
            finally:
                end.cancel()
                process.kill()


def until(reader: Reader, path: str, judge: Judge, deadline: float) -> tuple[list[str], bool]:
    """Faults of the objects below the path, none as soon as the judge finds none; and whether that took waiting."""
    waited = False
    while True:
        found, version = reader.look(path)
        faults = judge(list(found.values()))
        left = deadline - time.monotonic()
        if not faults or left <= 0:
            return faults, waited
        waited = True
        with reader.changes(path, version, left) as changes:
            for change in changes:
                if not apply(found, change) or not judge(list(found.values())):
                    break


def apply(found: Found, change: Mapping[str, Any]) -> bool:
    """Bring what was found up to date; False where the server says that it must be listed anew (410 Gone)."""
    changed = change["object"]
    match change["type"]:
        case "ADDED" | "MODIFIED":
            found[changed["metadata"]["uid"]] = changed
        case "DELETED":
            found.pop(changed["metadata"]["uid"], None)
        case _:
            return False
    return True
