"""`--debug`: a file that tells what a command did, and may be sent to others; what nobody foresaw is one line."""

import subprocess
import sys
from pathlib import Path

import pytest

from bedplate.debug import seen, verbs
from tests.rooms import ROOT


def run(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bedplate", *words]
    known = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "HOME": str(folder), **environment}
    return subprocess.run(command, cwd=folder, env=known, capture_output=True, text=True, check=False)


def test_the_file_names_programs_and_their_verbs_and_no_value(tmp_path: Path) -> None:
    kubectl = tmp_path / "kubectl"
    kubectl.write_text("#!/bin/sh\necho hunter2 >&2; exit 1\n")
    kubectl.chmod(0o755)
    path = f"{tmp_path}:/usr/bin:/bin"
    done = run(tmp_path, "--debug", "init", "prod", "--from-cluster", "hunter2", PATH=path)
    assert done.returncode == 2
    assert done.stderr.endswith("what it did: bedplate-debug.log\n")
    log = (tmp_path / "bedplate-debug.log").read_text()
    assert ": init prod …" in log
    assert "start kubectl: " in log
    assert "hunter2" not in log


def test_what_nobody_foresaw_is_a_line_and_its_way_is_in_the_file(tmp_path: Path) -> None:
    broken = {"HOME": "/proc/none"}
    done = run(tmp_path, "lab", "up", "lab", **broken)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "/proc/none: No such file or directory",
        "`bedplate --debug COMMAND …` writes into bedplate-debug.log where it came from",
    ]
    assert "Traceback" not in run(tmp_path, "--debug", "lab", "up", "lab", **broken).stderr
    assert "Traceback" in (tmp_path / "bedplate-debug.log").read_text()


def test_a_host_that_is_called_is_named() -> None:
    assert [*seen("socket.getaddrinfo", ("example.com", 443, 0, 0, 0))] == ["call example.com:443"]
    assert [*seen("open", ("/etc/passwd", "r", 0))] == []


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["config", "prod", "set", "--secret", "key", "hunter2"], "config prod set …"),
        (["get", "nodes"], "get nodes"),
        (["https://user:hunter2@host"], "…"),
        ([], ""),
    ],
)
def test_behind_the_first_word_that_is_no_verb_nothing_is_shown(words: list[str], shown: str) -> None:
    assert verbs(words) == shown
