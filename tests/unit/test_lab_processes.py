"""Processes of a lab's real controllers: started once, ready when they say so, and quoted where they do not run."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bedplate.lab import LabError
from bedplate.lab.cluster import Cluster
from bedplate.lab.controllers import run
from bedplate.lab.controllers.process import Command, free_ports

SERVER = """
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(int(self.path.strip("/")))
        self.end_headers()
HTTPServer(("127.0.0.1", int(sys.argv[1])), Answer).serve_forever()
"""


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cluster = Cluster("told")
    for name in ("pids", "logs", "controllers/server"):
        (cluster.folder / name).mkdir(parents=True)
    yield cluster
    for pid in cluster.processes().values():
        os.kill(pid, signal.SIGKILL)


def controller(lab: Cluster, program: str, *, status: int = 200, listens: bool = True) -> Command:
    """One with a port, of which its webhook or its health, which answers with that status, says that it is ready."""
    (port,) = free_ports(1)
    folder = lab.controllers / "server"
    health = f"http://127.0.0.1:{port}/{status}" if status else ""
    arguments = (sys.executable, "-c", program, str(port))
    made = Command("server", "kueue", arguments, {}, str(folder), port if listens else 0, health)
    made.save()
    return made


@pytest.mark.parametrize(("status", "listens"), [(200, True), (200, False), (0, True)])
def test_a_process_that_is_ready_is_started_once(lab: Cluster, status: int, *, listens: bool) -> None:
    made = controller(lab, SERVER, status=status, listens=listens)
    assert list(run.commands(lab)) == [made]
    run.start(lab)
    first = lab.processes()
    run.start(lab)
    assert lab.processes() == first
    assert list(first) == ["server"]


def test_a_process_whose_health_is_bad_is_not_ready(lab: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "PATIENCE", 1)
    controller(lab, SERVER, status=503)
    with pytest.raises(LabError, match="server is not ready after 1 seconds"):
        run.start(lab)


def test_a_process_that_ends_is_quoted(lab: Cluster) -> None:
    controller(lab, "print('begins'); raise SystemExit('Error: no such kind')")
    with pytest.raises(LabError, match="server of lab told does not run: Error: no such kind"):
        run.start(lab)
    controller(lab, "pass")
    run.log(lab, "server").unlink()
    with pytest.raises(LabError, match="does not run: it said nothing"):
        run.start(lab)
