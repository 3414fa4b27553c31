"""A stand-in for Pulumi's CLI that takes its time to stop, and a desk at which Bedplate runs it."""

import os
import select
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.rooms import ROOT

PULUMI = """#!{python}
# Stops in order on a first signal, which takes its time, and at once on a second; as Pulumi's CLI does.
import os, signal, sys, threading
def say(word):
    with open({events!r}, "w") as fifo:
        fifo.write(word + "\\n")
asked = []
def ask(number, _):
    asked.append(number)
    say("asked " + signal.Signals(number).name)
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, ask)
verb = sys.argv[1]
if verb == "stack" and os.environ.get("SLOW") != "stack":
    print("{{}}" if "export" in sys.argv else "")
    sys.exit(0)
say("begun " + verb)
print(os.environ.get("SAYS", "working"), flush=True)
print(os.environ.get("COMPLAINS", ""), file=sys.stderr, flush=True)
if os.environ.get("DIES"):
    os.kill(os.getpid(), signal.SIGKILL)
for _ in range(int(os.environ.get("TENTHS", "300"))):
    threading.Event().wait(0.1)
    if asked:
        break
for _ in range(10):
    threading.Event().wait(0.1)
    if len(asked) > 1:
        say("at once")
        sys.exit(255)
print("state saved", flush=True)
say("saved")
sys.exit(int(os.environ.get("STATUS", "1")))
"""
DRIVER = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs tests in the background has both ignored
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from bedplate.engine import tool
from bedplate.cli import main
tool.cli = lambda: {cli!r}
import bedplate.stacks.providers
def guard(*_):
    {wait}
    return 0
bedplate.stacks.providers.guard = guard
sys.exit(main(sys.argv[1:]))
"""
WAITS = """
    with open({events!r}, "w") as fifo:
        fifo.write("guarding\\n")
    import threading
    threading.Event().wait(30)
"""
KEY = "secret"


class Desk:
    """Whoever runs Bedplate, and what becomes of it."""

    def __init__(self, folder: Path) -> None:
        self.scratch = folder / "scratch"
        self.scratch.mkdir()
        self.events = folder / "events"
        os.mkfifo(self.events)
        self._fifo = os.open(self.events, os.O_RDWR)
        self._read = b""
        self.cli = folder / "pulumi"
        self.cli.write_text(PULUMI.format(python=sys.executable, events=str(self.events)))
        self.cli.chmod(0o755)

    def start(self, *words: str, guarded: bool = False, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        """Bedplate, off a terminal and with a group of its own, as CI runs it."""
        wait = WAITS.format(events=str(self.events)) if guarded else "pass"
        code = DRIVER.format(cli=str(self.cli), wait=wait)
        own = {"PYTHONPATH": str(ROOT), "TMPDIR": str(self.scratch), "KUBECONFIG_TEXT": KEY, "CI": "true"}
        own |= {"PULUMI_BACKEND_URL": "file:///state", "PULUMI_CONFIG_PASSPHRASE": ""}
        return subprocess.Popen(
            [sys.executable, "-c", code, *words],
            cwd=ROOT,
            env={**os.environ, **own, **(env or {})},
            text=True,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def hear(self, word: str) -> None:
        """Wait for it; nothing else may come before."""
        while b"\n" not in self._read:
            assert select.select([self._fifo], [], [], 60)[0], f"{word}: never said"
            self._read += os.read(self._fifo, 4096)
        line, _, self._read = self._read.partition(b"\n")
        assert line.decode() == word

    def silent(self) -> bool:
        return not self._read and not select.select([self._fifo], [], [], 0)[0]

    def left(self) -> list[str]:
        return sorted(path.name for path in self.scratch.iterdir())


def alone(run: subprocess.Popen[str], number: int) -> None:
    os.kill(run.pid, number)


def group(run: subprocess.Popen[str], number: int) -> None:
    os.killpg(run.pid, number)
