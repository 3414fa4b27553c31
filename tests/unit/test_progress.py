"""A spinner for those who watch and wait, and silence for everyone else."""

import io
import sys
import threading
from pathlib import Path

import pytest

from bedplate import progress
from bedplate.cli import main
from bedplate.wrong import WRONG, WrongError


class Terminal(io.StringIO):
    """Says when something was written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        if "⠋" in text or "Planning" in text:
            self.written.set()
        return super().write(text)


def test_a_slow_plan_shows_a_spinner(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.01)

    with progress.progress("Planning lab"):
        assert terminal.written.wait(timeout=10)


def test_a_quick_plan_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)

    with progress.progress("Planning lab"):
        pass

    assert terminal.getvalue() == ""


def test_a_log_file_gets_no_spinner(monkeypatch: pytest.MonkeyPatch) -> None:
    log = io.StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)

    with progress.progress("Planning lab"):
        pass

    assert log.getvalue() == ""


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (["init", "prod", "--from-cluster", "nowhere"], "bedplate.live.from_cluster.look"),
        (["releases", "check", "--offline"], "bedplate.releases.check.findings"),
        (["releases", "update"], "bedplate.releases.update.update"),
        (["upgrade", "lab", "--to", "2026.11"], "bedplate.releases.road.road"),
        (["check", "."], "bedplate.policies.command.check.read"),
        (["job", "list"], "bedplate.jobs.sight.jobs"),
        (["preview", "lab"], "bedplate.engine.command.lacking"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_whoever_waits_for_a_command_sees_that_it_works(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: list[str], place: str
) -> None:
    seen: list[str] = []

    def waits(*_: object, **__: object) -> None:
        assert terminal.written.wait(timeout=10)
        seen.append(terminal.getvalue())
        raise WrongError(place)

    terminal = Terminal()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.01)
    for answer in ("bedplate.live.from_cluster.version", "bedplate.jobs.kubectl.Kubectl.kinds"):
        monkeypatch.setattr(answer, lambda *_: {})
    monkeypatch.setattr("bedplate.stacks.providers.guard", lambda *_: 0)
    monkeypatch.setattr(place, waits)
    assert main(words) == WRONG
    assert len(seen) == 1
