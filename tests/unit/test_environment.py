"""The first thing that anybody waits for: whoever watches sees it move, a log has one line, and what is wrong is said."""

import os
import pty
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.rooms import ROOT

PYTHON = """#!/bin/sh
case "$*" in
  "-c "*) exec {python} "$@" ;;
  "-m venv .venv") mkdir -p .venv/bin .venv/lib/python3/site-packages && cp "$0" .venv/bin/python ;;
  *--log*) for last; do :; done
    echo "2026-11-25T00:00:00,000 Collecting one==1" >> "$last"; mkdir .venv/lib/python3/site-packages/one-1.dist-info
    exec sleep 2 ;;
  *) {otherwise} ;;
esac
"""
FIRST = "Making .venv from requirements.lock (once, about a minute)"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """One with a Python that installs nothing."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "environment", tmp_path / ".ci")
    (tmp_path / "requirements.lock").write_text("one==1\ntwo==2\n")
    stub(tmp_path)
    return tmp_path


def stub(folder: Path, otherwise: str = ":", python: str = sys.executable) -> None:
    file = folder / "python"
    file.write_text(PYTHON.replace("{otherwise}", otherwise).replace("{python}", python))
    file.chmod(0o755)


def run(folder: Path, out: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHON": str(folder / "python")}
    return subprocess.run([folder / ".ci/environment"], env=environment, stdout=out, stderr=-1, text=True, check=False)


def test_a_terminal_sees_how_far_it_is(checkout: Path) -> None:
    reader, writer = pty.openpty()
    assert run(checkout, writer).returncode == 0
    os.close(writer)
    said = os.read(reader, 10_000).decode()
    assert FIRST in said
    assert "1 of 2 packages fetched, 1 installed" in said
    assert (checkout / ".venv/ready").exists()


def test_a_log_has_one_line(checkout: Path) -> None:
    done = run(checkout)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{FIRST}\n", "")
    assert str(checkout) in (checkout / ".venv/bin/bedplate").read_text()


def test_the_command_of_a_checkout_begins_where_that_of_a_wheel_does(checkout: Path) -> None:
    """There, where no traceback is shown."""
    run(checkout)
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]["bedplate"]
    module, function = stated.split(":")
    assert f"from {module} import {function}\nsys.exit({function}())\n" in (checkout / ".venv/bin/bedplate").read_text()


def test_what_failed_is_said_and_nothing_is_ready(checkout: Path) -> None:
    stub(checkout, "echo no index >&2; exit 1")
    done = run(checkout)
    assert (done.returncode, done.stderr) == (1, "no index\n")
    assert not (checkout / ".venv/ready").exists()


def test_a_python_that_is_too_old_is_named(checkout: Path) -> None:
    stub(checkout, python="false")
    done = run(checkout)
    assert done.returncode == 2
    assert done.stderr.endswith(
        "is older than 3.11, which Bedplate needs: name another one, as in PYTHON=python3.12 make plan\n"
    )
