"""`bedplate --debug COMMAND`: what the command did stands in a file, for whoever has to find out why it failed.

Programs that it started, hosts that it called, each with its second, and where an error came from. No value of an
option, no environment and no content of a file is in it: it may be sent to others.
"""

import contextlib
import platform
import re
import sys
import time
import traceback
from collections.abc import Generator, Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, TextIO

from bedplate import __version__

OPTION = "--debug"
FILE = Path("bedplate-debug.log")
PLAIN = re.compile(r"[a-z][a-z-]*")
"""A verb of a command line; behind the first other word there may be a secret."""


@contextlib.contextmanager
def logged(words: Sequence[str]) -> Generator[None]:
    """While it lasts, what the process does is noted in a file in the folder where the user stands."""
    with FILE.open("w", encoding="utf-8") as log:
        began = time.monotonic()

        def note(text: str) -> None:
            if not log.closed:
                log.write(f"{time.monotonic() - began:8.2f}  {text}\n")

        note(f"bedplate {__version__}, Python {platform.python_version()}, {platform.platform()}: {verbs(words)}")
        sys.addaudithook(lambda event, arguments: any(map(note, seen(event, arguments))))
        try:
            yield
        except BaseException as error:
            traceback.print_exception(error, file=log)
            raise
        finally:
            note("end")
    sys.stderr.write(f"what it did: {FILE}\n")


def seen(event: str, arguments: tuple[Any, ...]) -> Iterator[str]:
    """A line for what Python says of starting programs and of calling hosts (docs.python.org, "Audit events table")."""
    match event, arguments:
        case "subprocess.Popen", (program, given, *_):
            words = [str(word) for word in (given if isinstance(given, list | tuple) else [given])]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            yield f"start {program or words[0]}: {verbs(words[1:])}"
        case "socket.getaddrinfo", (host, port, *_):
            yield f"call {host}:{port}"
        case _:
            return


def verbs(words: Sequence[str]) -> str:
    """The first words, as long as none can be a value."""
    plain = [*takewhile(PLAIN.fullmatch, words)]
    return " ".join([*plain, *(["…"] if len(plain) < len(words) else [])])


def unexpected(error: Exception, err: TextIO) -> None:
    """One line about what nobody foresaw."""
    text = " ".join(str(error).split()) or "no message"
    if isinstance(error, OSError) and error.strerror:
        name: object = error.filename
        err.write(f"{name}: {error.strerror}\n" if name else f"{error.strerror}\n")
    else:
        err.write(f"{type(error).__name__}: {text}: a fault of Bedplate's own\n")
    err.write(f"`bedplate {OPTION} COMMAND …` writes into {FILE} where it came from\n")
