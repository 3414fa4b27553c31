"""A spinner for those who watch and wait, and silence for everyone else."""

import io
import sys
import threading

import pytest

from bedplate.plan import progress


class Terminal(io.StringIO):
    """Says when something was written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        if "Planning" in text:
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
