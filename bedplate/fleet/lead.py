"""To lead a rollout: one at a time, known to everybody who reaches the backend of the fleet's first cluster.

There the fleet has a stack of its own without any resource, of project `bedplate-fleet`: its tags say who leads, which
rollout was the last, and whether somebody paused it. A stack of a cluster would not do: its tags are written by the
process that is at work on it, and tags of a file backend are written as a whole.
"""

import contextlib
import tempfile
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import yaml

from bedplate.fleet.automation import Stack, environment
from bedplate.fleet.locks import LAST, LEADER, PAUSED, RENEWED, Leader
from bedplate.fleet.member import Formation
from bedplate.stacks.profile.stack_file import read_mapping
from bedplate.wrong import WrongError

PROJECT = "bedplate-fleet"
TRIES = 5


@contextlib.contextmanager
def own_stack(formed: Formation) -> Generator[Stack]:
    """The fleet's; its project is in the backend alone."""
    first = formed.members[0]
    stated = read_mapping(first.files.root / "Pulumi.yaml", "Pulumi.yaml")
    project: dict[str, Any] = {"name": PROJECT, "runtime": "yaml"}
    project |= {"backend": stated["backend"]} if "backend" in stated else {}
    with tempfile.TemporaryDirectory(prefix="bedplate-fleet-") as folder:
        (Path(folder) / "Pulumi.yaml").write_text(yaml.safe_dump(project), encoding="utf-8")
        yield Stack(formed.fleet.name, Path(folder), environment(first))


@contextlib.contextmanager
def led(stack: Stack, rollout: str = "") -> Generator[bool]:
    """While it lasts, nobody else leads; whether somebody did who is gone without a word."""
    before = Leader.of(stack.tags())
    if before and not before.is_gone:
        raise WrongError(
            f"{stack.name}: {before.holder} leads a rollout, and was heard at {before.at:%H:%M:%S} UTC; "
            "wait for it, or `bedplate fleet pause`; nothing was begun"
        )
    ours = Leader.here()
    stack.tag({**ours.tags(), **({LAST: rollout} if rollout else {})})
    if (now := Leader.of(stack.tags())) is None or now.holder != ours.holder:
        raise WrongError(f"{stack.name}: another one began to lead in the same second; nothing was begun")
    ended = threading.Event()
    renewing = threading.Thread(target=_renew, args=(stack, ended), daemon=True)
    renewing.start()
    try:
        yield before is not None
    finally:
        ended.set()
        renewing.join()
        stack.untag(LEADER)


def _renew(stack: Stack, ended: threading.Event) -> None:
    while not ended.wait(RENEWED):
        stack.tag(Leader.here().tags())


def pause(stack: Stack, at: str) -> None:
    """Whoever leads renews its own tag meanwhile and may take this one along: so it is looked at again."""
    for _ in range(TRIES):
        stack.tag({PAUSED: at})
        if PAUSED in stack.tags():
            return


def is_paused(stack: Stack) -> bool:
    """Whether somebody said so."""
    return PAUSED in stack.tags()
