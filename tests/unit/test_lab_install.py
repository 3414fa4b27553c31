"""What a lab makes of a controller's objects: a process with its files, its identity, and what kubectl is asked."""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.lab import LabError
from bedplate.lab.binaries import Project, run_build
from bedplate.lab.cluster import Cluster, run
from bedplate.lab.controllers.install import each_domain_once, namespaces
from bedplate.lab.controllers.known import CERTIFICATES, Process
from bedplate.lab.controllers.process import PKI, Command, prepare
from bedplate.lab.report import PEAK, lines, resident
from bedplate.lab.stages import definition
from tests.unit.test_lab_controllers import CONFIGURATION, DEPLOYMENT, MAP

SERVICE = {"kind": "Service", "metadata": {"name": "manager", "namespace": "other"}}


@dataclass(frozen=True)
class Answering(Cluster):
    """A lab whose kubectl answers with these objects and keeps what it is asked."""

    items: Sequence[dict[str, Any]] = ()
    asked: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])

    def kubectl(self, *arguments: str, stdin: str | None = None) -> str:
        self.asked.append(arguments)
        return json.dumps({"items": self.items})


@pytest.mark.parametrize("process", [Process("manager"), Process("manager", webhook=False, health="")])
def test_a_process_gets_its_deployments_files_and_says_by_itself_when_it_is_ready(
    tmp_path: Path, process: Process
) -> None:
    for source in PKI.values():
        (tmp_path / "pki").mkdir(exist_ok=True)
        (tmp_path / "pki" / source).write_text(source)
    folder = tmp_path / "controllers" / "manager"
    made = prepare("kueue", Path("/bin/manager"), process, [SERVICE, MAP, DEPLOYMENT], folder)
    assert (made.name, made.controller, made.arguments[0]) == ("manager", "kueue", "/bin/manager")
    assert "--zap-log-level=2" in made.arguments
    assert made.environment["PLACE"] == "home"
    assert yaml.safe_load((folder / "controller_manager_config.yaml").read_text()) == yaml.safe_load(CONFIGURATION)
    for place in ("etc/certs", CERTIFICATES):
        assert {file.name: file.read_text() for file in (folder / place).iterdir()} == PKI
    assert bool(made.webhook) == process.webhook
    assert made.health.startswith("http://127.0.0.1:") == bool(process.health) == made.health.endswith("/readyz")
    made.save()
    assert Command.load(folder / "command.json") == made


def test_namespaces_are_made_once_for_everything_that_is_namespaced() -> None:
    without = {"kind": "ClusterRole", "metadata": {"name": "x"}}
    made = namespaces([[DEPLOYMENT, without], [SERVICE, DEPLOYMENT]])
    assert [one["metadata"]["name"] for one in made] == ["home", "other"]


def test_what_volcano_finds_twice_is_taken_away_once() -> None:
    source = {"volcano.sh/network-topology-source": "label"}
    found = [
        {"metadata": {"name": name, "labels": {**source, "rack": rack}}}
        for name, rack in (("b", "1"), ("a", "1"), ("c", "2"))
    ]
    twice = Answering("told", items=found)
    each_domain_once(twice)
    assert twice.asked == [("get", "hypernodes", "--output=json"), ("delete", "hypernodes", "b")]
    once = Answering("told", items=found[1:])
    each_domain_once(once)
    assert once.asked == [("get", "hypernodes", "--output=json")]


def test_a_program_that_fails_is_quoted() -> None:
    assert run(["sh", "-c", "cat; echo $MARK"], {**os.environ, "MARK": "x"}, stdin="in ") == "in x\n"
    for words, said in (("echo out; echo no such kind >&2; exit 1", "no such kind"), ("echo out; exit 1", "out")):
        with pytest.raises(LabError, match=f"^{said}$"):
            run(["sh", "-c", words])
    with pytest.raises(LabError, match=r"^sh failed with 3$"):
        run(["sh", "-c", "exit 3"])


def test_a_build_shows_each_package_and_of_one_that_fails_the_end_of_what_it_said(tmp_path: Path) -> None:
    project, said = Project("helm", "helm.sh/helm/v3", "v3", {}), list[str]()
    program = "import sys; [print(n, file=sys.stderr) for n in range(30)]; sys.exit(int(sys.argv[1]))"
    run_build([sys.executable, "-c", program, "0"], tmp_path, project, lambda _, what: said.append(what))
    assert said == [str(number) for number in range(30)]
    with pytest.raises(LabError) as raised:
        run_build([sys.executable, "-c", program, "1"], tmp_path, project, lambda *_: None)
    assert str(raised.value).splitlines() == ["helm v3 does not build:", *map(str, range(9, 30))]


def test_the_report_names_the_process_and_its_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    lab = Cluster("told")
    (lab.controllers / "kueue").mkdir(parents=True)
    (lab.controllers / "kueue" / "command.json").write_text("{}")
    (lab.folder / "pids").mkdir()
    (lab.folder / "pids" / "kueue.pid").write_text(str(os.getpid()))
    (line,) = lines(lab)
    assert line.startswith(f"kueue                    real: process {os.getpid()}, ")
    assert 0 < resident(os.getpid()) <= resident(os.getpid(), PEAK)


def test_a_kind_has_the_plural_that_is_given_or_an_s() -> None:
    assert definition("x.io", "Queue")["metadata"]["name"] == "queues.x.io"
    assert definition("x.io", "Policy", plural="policies")["spec"]["names"]["plural"] == "policies"
