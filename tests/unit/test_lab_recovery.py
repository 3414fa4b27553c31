"""What a killed run leaves, and what of it is ended or forgotten."""

import os
import subprocess
import sys
from typing import Any

from bedplate.lab.recovery import RELEASE, end, forgotten, leftovers


def record(release: str, status: str) -> dict[str, Any]:
    labels = {"name": release, "status": status, "owner": "helm"}
    return {"metadata": {"name": f"sh.helm.release.v1.{release}.v1", "namespace": "home", "labels": labels}}


def test_a_release_that_the_state_does_not_know_or_that_never_ended_is_forgotten() -> None:
    state = [
        {"type": RELEASE, "id": "home/known"},
        {"type": RELEASE, "id": "home/stuck"},
        {"type": "kubernetes:core/v1:Namespace", "id": "home"},
    ]
    records = [
        record("known", "deployed"),
        record("known", "superseded"),
        record("finished-by-the-plugin", "deployed"),
        record("stuck", "pending-upgrade"),
        record("half-done", "pending-install"),
    ]
    assert [name for _, name in forgotten(state, records)] == [
        "sh.helm.release.v1.finished-by-the-plugin.v1",
        "sh.helm.release.v1.stuck.v1",
        "sh.helm.release.v1.half-done.v1",
    ]


def test_processes_of_one_backend_are_found_and_ended_and_no_others() -> None:
    command = [sys.executable, "-c", "import time; time.sleep(600)"]
    variables = {**os.environ, "PULUMI_BACKEND_URL": "file:///of-a-killed-run"}
    with (
        subprocess.Popen(command, env=variables) as orphan,
        subprocess.Popen(command, env={**variables, "PULUMI_BACKEND_URL": "file:///of-another"}) as other,
    ):
        while orphan.pid not in leftovers("file:///of-a-killed-run"):
            assert orphan.poll() is None
        assert list(leftovers("file:///of-a-killed-run")) == [orphan.pid]
        end(leftovers("file:///of-a-killed-run"))
        assert orphan.wait(timeout=10) < 0
        assert other.poll() is None
        other.kill()


def test_the_shell_that_called_us_and_what_it_runs_beside_us_live_on() -> None:
    """Where the variable is exported they have it, too."""
    code = "from bedplate.lab.recovery import leftovers; print(*leftovers('file:///of-the-shell'))"
    script = f'sleep 600 & echo $!; "{sys.executable}" -c "{code}"; kill $!; wait'
    variables = {**os.environ, "PULUMI_BACKEND_URL": "file:///of-the-shell", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(["bash", "-c", script], env=variables, capture_output=True, text=True, check=True)
    assert done.stdout.split()[1:] == []
