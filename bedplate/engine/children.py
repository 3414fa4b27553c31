"""Pulumi's CLI as a child: who asks this process to end asks Pulumi, once, and waits until it has saved its state.

`subprocess.run` kills the child 0.25 s after a Ctrl-C, and SIGTERM ends Python alone: either way Pulumi's lock stays,
and what it had begun goes on behind the state's back. Pulumi itself stops in order on a first SIGINT or SIGTERM and at
once on a second (pulumi/pulumi, pkg/backend/cancellation_scope.go); a SIGHUP would end it, so it never sees one.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Self

from bedplate.engine.pump import Pump, breakable

PASSED_ON: Mapping[int, int] = {
    signal.SIGINT: signal.SIGINT,
    signal.SIGTERM: signal.SIGTERM,
    signal.SIGHUP: signal.SIGTERM,
}
SAME = 0.5
"""Seconds within which a repetition is the same request: `timeout` (coreutils) signals its child, then the group."""
OUT, ERR = 1, 2


class Stopped(KeyboardInterrupt):
    """A signal came while no child was at work, or before the next one."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.status = 128 + number


@dataclass(frozen=True)
class Ended:
    """How a child ended."""

    status: int
    """As a shell has it: its own, or 128 and the number of the signal that ended it or that it was asked to end by."""
    killed: bool
    """A signal ended it: it had no time to put anything in order."""
    stderr: str
    """The end of what it wrote to standard error."""


class Children:
    """Runs one command after the other; while it lasts, a request to end is the child's."""

    def __init__(self) -> None:
        self.asked: int | None = None
        """The first signal that asked for the end."""
        self._held = deque[int]()
        self._at_work = False
        self._child: subprocess.Popen[bytes] | None = None
        self._shares_terminal = False
        self._last = (0, 0.0)

    def __enter__(self) -> Self:
        """Hear what asks for the end, unless whoever started this process has it ignored."""
        heard = [number for number in PASSED_ON if signal.getsignal(number) is not signal.SIG_IGN]
        self._before = {number: signal.signal(number, self._hear) for number in heard}
        return self

    def __exit__(self, *_: object) -> None:
        """Hear it no more."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def run(self, words: Sequence[str], folder: Path, out: int = OUT, *, terminal: bool = False) -> Ended:
        """Run it to its end, however often this process is asked to end meanwhile.

        With `terminal` it may ask questions: it stays in the terminal's group, which hears a Ctrl-C as a whole.
        Otherwise it has a group of its own, and hears what this process passes on and nothing besides.
        """
        if self.asked:
            raise Stopped(self.asked)
        self._at_work, self._shares_terminal = True, terminal
        try:
            child = self._started(words, folder, out)
            pumps = [Pump(pipe, fd) for pipe, fd in ((child.stdout, out), (child.stderr, ERR)) if pipe]
            code = child.wait()
            for pump in pumps:
                pump.finish()
        finally:
            self._at_work, self._child = False, None
        return self._ended(code, pumps[-1].tail())

    def _started(self, words: Sequence[str], folder: Path, out: int) -> subprocess.Popen[bytes]:
        """The child, which ignores SIGHUP from its first moment: one that comes now waits for our handler."""
        hangup = {signal.SIGHUP}
        group = None if self._shares_terminal else 0
        ours = signal.getsignal(signal.SIGHUP)
        signal.pthread_sigmask(signal.SIG_BLOCK, hangup)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            stdout = subprocess.PIPE if breakable(out) else out
            self._child = subprocess.Popen(  # noqa: S603 - the user's own words
                words, cwd=folder, stdout=stdout, stderr=subprocess.PIPE, process_group=group
            )
        finally:
            signal.signal(signal.SIGHUP, ours)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, hangup)
        while self._held:  # it may have been too young to hear them
            self._send(self._held.popleft())
        return self._child

    def _hear(self, number: int, _: FrameType | None) -> None:
        last, self._last = self._last, (number, time.monotonic())
        if last[0] == number and self._last[1] - last[1] < SAME:
            return
        first, self.asked = self.asked is None, self.asked or number
        if not self._at_work:
            if first:  # and a second one only finds us putting things in order
                raise Stopped(number)
        elif self._child is None:
            self._held.append(number)
        elif not (number == signal.SIGINT and self._shares_terminal and _in_front()):
            self._send(number)

    def _send(self, number: int) -> None:
        send = os.kill if self._shares_terminal else os.killpg
        if self._child and self._child.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                send(self._child.pid, PASSED_ON[number])

    def _ended(self, code: int, said: str) -> Ended:
        if code and self.asked:
            return Ended(128 + self.asked, code < 0, said)
        return Ended(128 - code if code < 0 else code, code < 0, said)


def _in_front() -> bool:
    """Whether a Ctrl-C goes to us and to the child alike."""
    try:
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except OSError:
        return False
