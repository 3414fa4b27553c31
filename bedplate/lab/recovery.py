"""After a run was killed: end what it left at work, and forget what it left half done, so that the next `up` goes on.

A killed CLI leaves its plugin behind, which finishes a Helm install that the state never hears of; the next `up` then
"cannot re-use a name that is still in use". Helm's record of such a release is deleted, not its objects: they carry
the release's name, so the next install takes them over.
"""

import json
import os
import select
import signal
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bedplate.lab.engine import STACK, Engine
from bedplate.plan.answers import RELEASE

TAKE_OVER = {"PULUMI_K8S_UPSERT_EXISTING_OBJECTS": "true", "PULUMI_K8S_ENABLE_PATCH_FORCE": "true"}
"""The provider takes over objects that the killed run made and the state does not know (pulumi-kubernetes, provider's
`upsertExistingObjects`), also where the API server has filled in defaults since, so that a field as a whole no longer
equals ours (`enablePatchForce`); for the one `up` of a recovery, as any other would overwrite what is not ours."""


def recover(engine: Engine) -> None:
    """All of it, up to a finished `up`; on a stack in order it changes nothing."""
    end(leftovers(engine.backend))
    engine.run("cancel", "--yes", STACK)
    for namespace, name in forgotten(engine.state(), records(engine)):
        engine.cluster.kubectl("delete", "secret", name, "--namespace", namespace)
    engine.run("refresh", "--yes", "--clear-pending-creates", "--stack", STACK)
    up = ("up", "--yes", "--skip-preview", "--stack", STACK)
    Engine(engine.cluster, engine.folder, engine.cli, {**engine.environment, **TAKE_OVER}).run(*up)
    engine.run(*up)  # the state remembers what its provider was told: from here on nothing is taken over


def forgotten(state: Iterable[Mapping[str, Any]], records: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Helm's records that stand in the way: of releases that the state does not know, or that never ended."""
    releases = {resource["id"] for resource in state if resource["type"] == RELEASE and resource.get("id")}
    for record in records:
        metadata = record["metadata"]
        release = f"{metadata['namespace']}/{metadata['labels']['name']}"
        if release not in releases or metadata["labels"]["status"].startswith("pending-"):
            yield metadata["namespace"], metadata["name"]


def records(engine: Engine) -> list[dict[str, Any]]:
    """The Secrets in which Helm keeps its releases."""
    return json.loads(engine.cluster.kubectl("get", "secrets", "-A", "-l", "owner=helm", "-o", "json"))["items"]


def leftovers(backend: str) -> Iterator[int]:
    """Processes of earlier runs on this backend: plugins and language hosts outlive a killed CLI.

    Not those that we come from, nor what else they run: where the variable is exported, that is the caller's shell.
    """
    parents: dict[int, int] = {}
    marked: list[int] = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            variables = (place / "environ").read_bytes().split(b"\0")
            parents[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:  # somebody else's, or gone
            continue
        if f"PULUMI_BACKEND_URL={backend}".encode() in variables:
            marked.append(int(place.name))
    callers = {os.getpid(), *_above(os.getpid(), parents)} & {*marked}
    yield from (pid for pid in marked if not callers & {pid, *_above(pid, parents)})


def _above(process: int, parents: Mapping[int, int]) -> Iterator[int]:
    """Its parent, and so on, as far as they are ours to see."""
    while process in parents:
        yield (process := parents[process])


def end(processes: Iterable[int], seconds: float = 10) -> None:
    """Kill them and wait until each is gone."""
    for process in processes:
        try:
            handle = os.pidfd_open(process)
        except ProcessLookupError:
            continue
        signal.pidfd_send_signal(handle, signal.SIGKILL)
        select.select([handle], [], [], seconds)
        os.close(handle)
