"""Start the processes of a lab's real controllers, wait until each is ready, and say which run."""

import os
import subprocess
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from socket import create_connection
from threading import Event
from time import monotonic

from bedplate.lab import LabError
from bedplate.lab.cluster import Cluster
from bedplate.lab.control_plane import LOOPBACK
from bedplate.lab.controllers.process import Command

PATH = {"PATH": os.defpath}
PATIENCE = 120
"""Seconds until a controller is ready: it waits for the caches of all its kinds."""


def start(cluster: Cluster) -> None:
    """Start whatever of them does not run, and wait until all are ready; twice changes nothing."""
    started = list(commands(cluster))
    running = cluster.processes()
    for command in started:
        if command.name not in running:
            _start(cluster, command)
    for command in started:
        _until(lambda command=command: _ready(command), lambda command=command: check(cluster, [command]), command.name)


def commands(cluster: Cluster) -> Iterator[Command]:
    """Those that were installed into this lab."""
    for path in sorted(cluster.controllers.glob("*/command.json")):
        yield Command.load(path)


def check(cluster: Cluster, started: Sequence[Command]) -> None:
    """Each runs, or an error shows the last words of the one that does not."""
    running = cluster.processes()
    for command in started:
        if command.name not in running:
            lines = log(cluster, command.name).read_text().strip().splitlines()
            raise LabError(f"{command.name} of lab {cluster.name} does not run: {last_words(lines)}")


def last_words(lines: Sequence[str]) -> str:
    """The error among the last lines of a log, or the last line."""
    errors = [line for line in lines[-20:] if '"error"' in line or "Error" in line or "ERROR" in line]
    return (errors or list(lines[-1:]) or ["it said nothing"])[-1]


def log(cluster: Cluster, name: str) -> Path:
    """Where a process writes."""
    return cluster.folder / "logs" / f"{name}.log"


DETACHED = 'cd "$1" && out=$2 && shift 2 && { setsid "$@" >> "$out" 2>&1 < /dev/null & echo $!; }'
"""A process that outlives us and is nobody's child; it prints the process id."""


def _start(cluster: Cluster, command: Command) -> None:
    """As a daemon of the lab, like those that kwokctl starts."""
    detached = ["sh", "-c", DETACHED, "sh", command.folder, str(log(cluster, command.name)), *command.arguments]
    started = subprocess.run(detached, env={**PATH, **command.environment}, capture_output=True, text=True, check=True)
    (cluster.folder / "pids" / f"{command.name}.pid").write_text(started.stdout.strip())


def _ready(command: Command) -> bool:
    listens = not command.webhook or _listens(command.webhook)
    return listens and (not command.health or _healthy(command.health))


def _listens(port: int) -> bool:
    with suppress(OSError), create_connection((LOOPBACK, port), timeout=1):
        return True
    return False


def _healthy(url: str) -> bool:
    with suppress(OSError, HTTPException), urllib.request.urlopen(url, timeout=1) as answer:  # noqa: S310 - loopback
        return answer.status == 200  # noqa: PLR2004 - of HTTP
    return False


def _until(ready: Callable[[], bool], check: Callable[[], None], name: str) -> None:
    """A port cannot be watched, so it is asked, five times a second."""
    end, pause = monotonic() + PATIENCE, Event()
    while not ready():
        check()
        if monotonic() > end:
            raise LabError(f"{name} is not ready after {PATIENCE} seconds")
        pause.wait(0.2)
