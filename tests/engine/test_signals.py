"""Cancelled runs on a real engine: what it had begun is in the state, and nobody finds a lock."""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bedplate.lab.engine import Engine, find_cli
from bedplate.lab.recovery import leftovers, records
from tests.rooms import ROOT
from tests.stopped_pulumi import Desk, alone, group

PROGRAM = """
import os, threading, pulumi
from pulumi.dynamic import CreateResult, Resource, ResourceProvider

class Slow(ResourceProvider):
    def create(self, props):
        import os, threading
        with open(props["events"], "w") as fifo:
            fifo.write("begun " + props["name"] + "\\n")
        threading.Event().wait(float(os.environ["SECONDS"]))
        return CreateResult(props["name"], props)

class Kept(Resource):
    def __init__(self, name, events, opts=None):
        super().__init__(Slow(), name, {"name": name, "events": events}, opts)

first = Kept("first", os.environ["EVENTS"])
Kept("second", os.environ["EVENTS"], pulumi.ResourceOptions(depends_on=[first]))
"""
DRIVER = """
import sys
from bedplate.engine import tool
from bedplate.cli import main
tool.policies = lambda *_: ()  # the pack is no matter of signals, and its host is slow to start
sys.exit(main(sys.argv[1:]))
"""


class Company(Desk):
    """A desk with a project of two slow resources, its state in a folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.backend = folder / "state"
        self.backend.mkdir()
        self.project = folder / "project"
        self.project.mkdir()
        (self.project / "Pulumi.yaml").write_text("name: slow\nruntime: python\n")
        (self.project / "__main__.py").write_text(PROGRAM)
        profile = (ROOT / "stacks" / "Pulumi.lab.yaml").read_text()
        (self.project / "Pulumi.lab.yaml").write_text(profile)
        self.environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "TMPDIR": str(self.scratch),
            "CI": "true",
            "EVENTS": str(self.events),
            "KUBECONFIG_TEXT": "contexts: [{name: kwok-bedplate-lab}]\ncurrent-context: kwok-bedplate-lab\n",
            "PULUMI_BACKEND_URL": f"file://{self.backend}",
            "PULUMI_CONFIG_PASSPHRASE": "drill",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
        }

    def up(self, seconds: float = 4) -> subprocess.Popen[str]:
        """With resources that take so long each."""
        return subprocess.Popen(
            [sys.executable, "-c", DRIVER, "up", "lab", "--yes", "--skip-preview"],
            cwd=self.project,
            env={**self.environment, "SECONDS": str(seconds)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def locks(self) -> list[Path]:
        return list(self.backend.glob(".pulumi/locks/**/*.json"))

    def made(self) -> list[str]:
        state = json.loads((self.backend / ".pulumi" / "stacks" / "slow" / "lab.json").read_text())
        return [one["id"] for one in state["checkpoint"]["latest"].get("resources", []) if "dynamic" in one["type"]]

    def left_secrets(self) -> list[Path]:
        return list(self.scratch.glob("**/kubeconfig"))


@pytest.fixture(autouse=True)
def hears_a_ctrl_c() -> Iterator[None]:
    """What a shell starts in the background ignores SIGINT, and whatever that starts does the same."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def company(tmp_path: Path) -> Company:
    if not find_cli():
        pytest.skip("no Pulumi CLI: `make up` installs one where there is internet")
    return Company(tmp_path)


@pytest.mark.parametrize("to", [alone, group])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_cancelled_up_ends_what_it_began_and_lets_go_of_the_stack(company: Company, to: object, number: int) -> None:
    run = company.up()
    company.hear("begun first")
    assert callable(to)
    to(run, number)
    out, err = run.communicate(timeout=120)
    assert run.returncode == 128 + number, out + err
    assert (company.locks(), company.made(), company.left_secrets()) == ([], ["first"], [])
    again = company.up()
    company.hear("begun second")
    assert "2 " in again.communicate(timeout=120)[0]
    assert (again.returncode, company.locks(), company.made()) == (0, [], ["first", "second"])


def test_a_second_signal_stops_at_once_and_what_stays_is_named(company: Company) -> None:
    run = company.up(20)
    company.hear("begun first")
    alone(run, signal.SIGINT)
    assert run.stdout
    assert any("cancelling" in line for line in run.stdout)
    alone(run, signal.SIGTERM)
    assert any("terminating" in line for line in run.stdout)
    _, err = run.communicate(timeout=120)
    assert run.returncode == 130
    assert company.left_secrets() == []
    assert bool(company.locks()) == ("bedplate pulumi cancel lab --yes" in err)


def test_a_second_run_beside_the_first_is_refused_in_words(company: Company) -> None:
    run = company.up(40)
    company.hear("begun first")
    beside = company.up()
    _, err = beside.communicate(timeout=120)
    assert beside.returncode not in (0, 130)
    assert "lab: another run holds the stack, and nothing was done" in err
    alone(run, signal.SIGTERM)
    run.communicate(timeout=120)
    assert (run.returncode, company.locks()) == (143, [])


def bedplate(engine: Engine, *words: str) -> subprocess.Popen[str]:
    """The command as CI runs it, in the project of a lab's stack."""
    return subprocess.Popen(
        [sys.executable, "-m", "bedplate", words[0], "lab", *words[1:]],
        cwd=engine.folder,
        env={**engine.variables, "CI": "true"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def ready_after(engine: Engine, seconds: int) -> None:
    """Pods take so long, and with them the releases that wait for theirs."""
    delay = json.dumps({"spec": {"delay": {"durationMilliseconds": seconds * 1000}}})
    engine.cluster.kubectl("patch", "stage", "pod-ready", "--type=merge", "-p", delay)


def installing(engine: Engine) -> str:
    """Wait until Helm is in the middle of a release."""
    pending = (*engine.cluster.kubectl_command, "get", "secrets", "-A", "-l", "owner=helm,status=pending-install")
    with subprocess.Popen([*pending, "--watch", "-o", "name"], stdout=subprocess.PIPE, text=True) as watch:
        assert watch.stdout
        assert select.select([watch.stdout], [], [], 300)[0], "no release was begun"
        first = watch.stdout.readline()
        watch.kill()
    return first.strip()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_up_cancelled_amid_a_release_leaves_no_lock_and_no_plugin_and_the_next_goes_on(
    engine: Engine, number: int
) -> None:
    ready_after(engine, 20)
    run = bedplate(engine, "up", "--yes", "--skip-preview")
    assert "secret/sh.helm.release.v1." in installing(engine)
    group(run, number)
    said, _ = run.communicate(timeout=300)
    assert run.returncode == 128 + number, said
    assert list((engine.folder / "backend").glob(".pulumi/locks/**/*.json")) == []
    assert list(leftovers(engine.backend)) == []
    ready_after(engine, 0)
    again = bedplate(engine, "up", "--yes", "--skip-preview")
    said, _ = again.communicate(timeout=600)
    assert again.returncode == 0, said
    assert {one["metadata"]["labels"]["status"] for one in records(engine)} <= {"deployed", "superseded"}
    engine.run("preview", "--stack", "lab", "--expect-no-changes")
