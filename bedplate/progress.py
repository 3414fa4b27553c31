"""Say that work goes on, once it takes longer than a person likes to wait in silence."""

import contextlib
import sys
import threading
from collections.abc import Generator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.status import Status

PATIENCE_SECONDS = 2.0


@contextlib.contextmanager
def progress(text: str) -> Generator[None]:
    """A spinner on standard error after two seconds; nothing at all when nobody watches."""
    if not sys.stderr.isatty():
        yield
        return
    shown: list[Status] = []
    timer = threading.Timer(PATIENCE_SECONDS, lambda: shown.append(_spin(text)))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        for status in shown:
            status.stop()


def _spin(text: str) -> "Status":
    from bedplate.console import Console  # noqa: PLC0415 - only a slow plan pays for it

    status = Console(stderr=True).status(text)
    status.start()
    return status
