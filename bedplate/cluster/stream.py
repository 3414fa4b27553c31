"""What a command of kubectl writes while it follows the cluster."""

import subprocess
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from tempfile import TemporaryFile
from threading import Timer
from typing import IO

from bedplate.cluster.errors import of_words
from bedplate.cluster.kubectl import absent


@contextmanager
def stream(subject: str, words: Sequence[str], seconds: float) -> Generator[Iterator[bytes]]:
    """Its whole lines, until it ends or the time is up; the iterator then raises what its complaint means (errors.py).

    A line that was cut is none: a proxy, or our own deadline, may end the stream inside an object.
    """
    with TemporaryFile() as complaint:
        try:
            process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=complaint)  # noqa: S603 - our own words
        except OSError as error:
            raise absent(error) from error
        # A connection that died quietly would outlive the server's own timeout.
        end = Timer(seconds, process.kill)
        with process:
            end.start()
            try:
                yield _lines(subject, process, complaint)
            finally:
                end.cancel()
                process.kill()


def _lines(subject: str, process: subprocess.Popen[bytes], complaint: IO[bytes]) -> Iterator[bytes]:
    for line in process.stdout or ():
        if not line.endswith(b"\n"):
            break
        yield line
    if process.wait() > 0:
        complaint.seek(0)
        raise of_words(subject, complaint.read().decode(errors="replace"))
