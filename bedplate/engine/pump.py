"""What a child writes, handed on to whoever reads it, and taken from it also when nobody reads any more.

The Go runtime ends a process that writes to a closed standard output, whatever it has open (os/signal, "SIGPIPE"):
`bedplate up prod | head` would leave Pulumi's lock behind.
"""

import os
import stat
from collections import deque
from threading import Thread
from typing import IO

CHUNK = 65536
KEPT = 16
SECONDS = 5
"""A process that outlives the child may hold the pipe's other end: it is not waited for longer."""


def breakable(fd: int) -> bool:
    """Whether a reader can go away: not so with a terminal or a file."""
    mode = os.fstat(fd).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


class Pump:
    """Copies what comes from a pipe to a file descriptor, and keeps the last of it."""

    def __init__(self, pipe: IO[bytes], to: int) -> None:
        self._pipe = pipe
        self._to = to
        self._kept = deque[bytes](maxlen=KEPT)
        self._thread = Thread(target=self._copy, daemon=True)
        self._thread.start()

    def _copy(self) -> None:
        read = True
        while chunk := os.read(self._pipe.fileno(), CHUNK):
            self._kept.append(chunk)
            read = read and _written(self._to, chunk)

    def finish(self) -> None:
        """Wait until all of it is copied."""
        self._thread.join(SECONDS)
        if not self._thread.is_alive():
            self._pipe.close()

    def tail(self) -> str:
        """The last that came."""
        return b"".join(self._kept).decode(errors="replace")


def _written(fd: int, chunk: bytes) -> bool:
    """Whether anybody takes it."""
    try:
        while chunk:
            chunk = chunk[os.write(fd, chunk) :]
    except OSError:
        return False
    return True
