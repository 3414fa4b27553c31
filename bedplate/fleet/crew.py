"""The processes of a rollout, one a cluster; when this one ends they end in order, and what they said is kept."""

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Self

from bedplate.fleet.job import Asked, Result, log_of, variables
from bedplate.fleet.member import Member
from bedplate.fleet.model import Wave
from bedplate.fleet.record import now
from bedplate.folders import PACKAGE

WORKER = (sys.executable, "-m", "bedplate.fleet.worker")


class Workers:
    """A crew of real processes."""

    def __init__(self, asked: Asked, logs: Path, say: Callable[[str], object]) -> None:
        self.asked = asked
        self.logs = logs
        self._say = say
        self._ended: queue.Queue[Result] = queue.Queue()
        self._pipes: list[IO[str]] = []
        self._waiting: list[threading.Thread] = []

    def __enter__(self) -> Self:
        """A place for what they come to."""
        self._folder = tempfile.TemporaryDirectory(prefix="bedplate-fleet-")
        return self

    def __exit__(self, *_: object) -> None:
        """Ask those that are still at work to end, and wait until they have."""
        for pipe in self._pipes:
            pipe.close()
        for thread in self._waiting:
            thread.join()
        self._folder.cleanup()

    def start(self, member: Member, wave: Wave) -> None:
        """Begin one."""
        what = self.asked.job(member, wave)
        log, result = log_of(self.logs, what, now()), Path(self._folder.name) / f"{member.name}.json"
        log.parent.mkdir(parents=True, exist_ok=True)
        path = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(PACKAGE.parent))))
        given = variables(member, {**os.environ, "PYTHONPATH": path})
        with log.open("w", encoding="utf-8") as out:
            process = subprocess.Popen(  # noqa: S603 - our own words
                (*WORKER, str(result)), cwd=member.files.root, env=given,
                stdin=subprocess.PIPE, stdout=out, stderr=out, text=True, process_group=0,
            )  # fmt: skip
        assert process.stdin  # noqa: S101 - it is a pipe
        process.stdin.write(f"{what.text()}\n")
        process.stdin.flush()
        self._pipes.append(process.stdin)
        self._say(f"{wave.name}: {member.name}: {self.asked.verb} begins (log {log})")
        thread = threading.Thread(target=self._wait, args=(process, member.name, result, log))
        self._waiting.append(thread)
        thread.start()

    def next(self) -> Result:
        """Wait until one of them has ended."""
        return self._ended.get()

    def _wait(self, process: subprocess.Popen[str], name: str, result: Path, log: Path) -> None:
        status = process.wait()
        try:
            came = Result(**json.loads(result.read_text(encoding="utf-8")))
        except (OSError, ValueError):
            came = Result(name, green=False, says=f"its process ended with status {status}: {_last(log)}")
        self._ended.put(Result(came.stack, came.green, came.says, str(log)))


def _last(log: Path) -> str:
    lines: Sequence[str] = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"
