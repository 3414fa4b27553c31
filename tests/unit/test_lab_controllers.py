"""A Deployment becomes a process: what of it is kept, and what a process on loopback must do without."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from bedplate.charts import stated
from bedplate.console import Console
from bedplate.lab import LabError
from bedplate.lab import __main__ as command
from bedplate.lab.cluster import Cluster
from bedplate.lab.controllers.choice import choose
from bedplate.lab.controllers.install import behind, groups_of, own, reachable
from bedplate.lab.controllers.known import CONTROLLERS, HEALTH, Ports
from bedplate.lab.controllers.process import arguments, configured, free_ports, mounted, secret_mounts, variables
from bedplate.lab.controllers.rendered import at_hand, deployed, version
from bedplate.lab.report import lines
from bedplate.lab.sources import Edit, Source, apply_edits
from bedplate.lab.stages import PLAYED_FOR, load
from bedplate.plan.manifests import manifests
from tests.stack_files import document, graph_of

CONTAINER: dict[str, Any] = {
    "args": ["--config=/controller_manager_config.yaml", "--zap-log-level=2", "--port=8443", "--leader-elect"],
    "env": [
        {"name": "PLACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}},
        {"name": "ADDRESS", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
        {"name": "DEBUG", "value": "yes"},
        {"name": "SOCKETS", "value": "/etc/all/sockets"},
    ],
    "volumeMounts": [
        {"name": "config", "mountPath": "/controller_manager_config.yaml", "subPath": "controller_manager_config.yaml"},
        {"name": "all", "mountPath": "/etc/all"},
        {"name": "cert", "mountPath": "/etc/certs"},
    ],
}
POD: dict[str, Any] = {
    "containers": [CONTAINER],
    "volumes": [
        {"name": "config", "configMap": {"name": "manager"}},
        {"name": "all", "configMap": {"name": "manager"}},
        {"name": "cert", "secret": {"secretName": "cert"}},
    ],
}
CONFIGURATION = "kind: Configuration\nwebhook: {port: 9443}\nfairSharing: {}\n"
MAP = {
    "kind": "ConfigMap",
    "metadata": {"name": "manager"},
    "data": {"controller_manager_config.yaml": CONFIGURATION, "other.conf": "as it is"},
}
DEPLOYMENT: dict[str, Any] = {
    "kind": "Deployment",
    "metadata": {"name": "manager", "namespace": "home"},
    "spec": {"template": {"metadata": {"labels": {"app": "manager", "hash": "1"}}, "spec": POD}},
}
TRAINING: dict[str, Any] = {name: {} for name in ("jobset", "trainer", "mpiOperator", "trainingOperator")}
SERVICE = {"kind": "Service", "metadata": {"name": "hooks"}, "spec": {"selector": {"app": "manager"}}}


def test_flags_of_the_deployment_are_kept_and_its_paths_lie_in_the_processs_folder() -> None:
    made = list(arguments(CONTAINER, {"--port": "1234"}))
    assert made == ["--config=controller_manager_config.yaml", "--zap-log-level=2", "--leader-elect", "--port=1234"]


def test_a_process_knows_its_name_and_namespace_but_no_address_of_a_pod() -> None:
    assert variables(CONTAINER, DEPLOYMENT) == {"PLACE": "home", "DEBUG": "yes", "SOCKETS": "etc/all/sockets"}


def test_a_configuration_keeps_the_stacks_keys_under_the_labs_few() -> None:
    made = dict(mounted(POD, [MAP], {"webhook": {"host": "127.0.0.1"}}))
    assert yaml.safe_load(made["controller_manager_config.yaml"]) == {
        "kind": "Configuration",
        "webhook": {"port": 9443, "host": "127.0.0.1"},
        "fairSharing": {},
    }
    assert made["etc/all/other.conf"] == "as it is"
    assert list(secret_mounts(POD)) == ["etc/certs"]


def test_a_file_that_is_no_configuration_is_left_alone() -> None:
    assert configured("tiers: []", {"webhook": {}}) == "tiers: []"


def test_ports_of_a_process_are_all_different() -> None:
    assert len(set(free_ports(4))) == 4


def test_a_webhook_keeps_its_failure_policy_and_gets_an_address_on_loopback() -> None:
    client = {"service": {"name": "hooks", "namespace": "home", "path": "/validate"}}
    hook = {"name": "one", "failurePolicy": "Fail", "clientConfig": client}
    one = {"kind": "ValidatingWebhookConfiguration", "metadata": {"name": "hooks"}, "webhooks": [hook]}
    made = reachable(one, behind([SERVICE, DEPLOYMENT], {"manager": 1234}), "Q0E=")
    assert made["webhooks"] == [
        {
            "name": "one",
            "failurePolicy": "Fail",
            "clientConfig": {"url": "https://127.0.0.1:1234/validate", "caBundle": "Q0E="},
        }
    ]


def test_conversion_is_asked_of_the_process_too() -> None:
    client = {"service": {"name": "hooks", "namespace": "home", "path": "/convert"}}
    conversion = {"strategy": "Webhook", "webhook": {"clientConfig": client, "conversionReviewVersions": ["v1"]}}
    one = {"kind": "CustomResourceDefinition", "spec": {"group": "example.com", "conversion": conversion}}
    made = reachable(one, behind([SERVICE, DEPLOYMENT], {"manager": 1234}), "Q0E=")["spec"]["conversion"]["webhook"]
    assert made["clientConfig"]["url"] == "https://127.0.0.1:1234/convert"
    assert made["conversionReviewVersions"] == ["v1"]


def test_a_webhook_whose_service_has_no_process_stays_as_it_is() -> None:
    client = {"service": {"name": "others", "namespace": "home", "path": "/validate"}}
    one = {"kind": "ValidatingWebhookConfiguration", "webhooks": [{"clientConfig": client}]}
    assert reachable(one, behind([SERVICE, DEPLOYMENT], {"manager": 1234}), "Q0E=") == one


def test_no_controller_elects_a_leader_or_listens_beyond_loopback() -> None:
    ports = Ports(1, 2, 3, 4)
    for real in CONTROLLERS.values():
        for process in real.processes.values():
            edits = [edit.new for edit in real.project.source.edits] if real.project.source else []
            stated = yaml.safe_dump([process.settings(ports), dict(process.flags(ports)), edits])
            assert "127.0.0.1" in stated or HEALTH in stated
            assert "leaderElect: true" not in stated


def test_a_lab_gets_the_stacks_own_objects_of_kinds_that_it_serves_and_no_secret() -> None:
    graph = graph_of(document("lab"))
    kinds = [{"kind": "CustomResourceDefinition", "spec": {"group": "kueue.x-k8s.io"}}]
    without = {obj["kind"] for obj in own(graph, groups_of([]))}
    real = {obj["kind"] for obj in own(graph, groups_of([[*kinds, DEPLOYMENT]]))}
    assert {"ResourceQuota", "ConfigMap"} <= without
    assert real - without == {"ClusterQueue", "LocalQueue", "ResourceFlavor", "Topology"}
    serving = graph_of(document("inference-l40s"))
    assert "Secret" in {manifest.document["kind"] for manifest in manifests(serving)}
    assert "Secret" not in {obj["kind"] for obj in own(serving, groups_of([]))}


def test_every_real_controller_is_one_whose_part_is_played_otherwise() -> None:
    assert PLAYED_FOR.keys() == CONTROLLERS.keys()


@pytest.mark.parametrize("name", PLAYED_FOR)
def test_nobody_plays_the_part_of_a_controller_that_runs(name: str) -> None:
    apis = {stage["spec"]["resourceRef"]["apiGroup"] for stage in load((name,))}
    everything = {stage["spec"]["resourceRef"]["apiGroup"] for stage in load()}
    assert not [api for api in apis if api.startswith(PLAYED_FOR[name])]
    assert [api for api in everything if api.startswith(PLAYED_FOR[name])]


def test_the_lab_builds_the_versions_that_the_stack_deploys() -> None:
    graphs = [
        graph_of(document("lab") | {"scheduling": {"kind": kind}, "training": TRAINING})
        for kind in ("kueue", "volcano")
    ]
    for name, real in CONTROLLERS.items():
        node = next(filter(None, (deployed(graph, real) for graph in graphs)), None)
        assert node is not None, name
        assert version(node) == real.project.version


def test_another_release_stays_played_and_says_so() -> None:
    written = document("lab") | {"training": {"jobset": {"version": "0.12.1"}}}
    chosen = choose(graph_of(written), build=True)
    assert list(chosen.real) == ["kueue"]
    assert chosen.played["jobset"] == "the stack asks for v0.12.1, and the lab builds v0.12.0"


def test_what_the_lab_cannot_run_stays_played_and_is_named() -> None:
    written = document("lab") | {"training": {"jobset": {}, "kuberay": {}, "leaderWorkerSet": {}}}
    chosen = choose(graph_of(written), build=True)
    played = {"leader-worker-set": "lws", "kuberay": "kuberay-operator", "nfd": "node-feature-discovery"}
    played |= {name: name for name in ("gpu-operator", "network-operator")}
    assert chosen.played == {name: stated(chart, "release.toml")["played"] for name, chart in played.items()}
    assert list(chosen.real) == ["kueue", "jobset"]


def test_a_controller_of_jobsets_is_not_real_without_theirs() -> None:
    written = document("lab") | {"training": {"jobset": {"version": "0.12.1"}, "trainer": {}}}
    chosen = choose(graph_of(written), build=True)
    assert chosen.played["trainer"] == "it does nothing without jobset, which is not real here"


def test_an_operator_that_makes_pod_groups_is_not_real_where_their_scheduler_is_played() -> None:
    written = document("lab") | {
        "scheduling": {"kind": "volcano", "version": "1.15.0"},
        "training": {"mpiOperator": {}},
    }
    chosen = choose(graph_of(written), build=True)
    assert chosen.played["mpi-operator"] == "it does nothing without volcano, which is not real here"


@pytest.mark.parametrize("mirror", [{}, {"charts": {"mirror": "./mirror"}}])
def test_the_release_of_a_kustomization_is_known_by_its_folder(mirror: dict[str, Any]) -> None:
    graph = graph_of(document("lab") | {"training": TRAINING} | mirror)
    node = deployed(graph, CONTROLLERS["training-operator"])
    assert node
    assert version(node) == "v1.9.4"


@pytest.mark.parametrize("name", ["mpi-operator", "training-operator"])
def test_manifests_of_a_kustomization_are_those_of_the_source(name: str) -> None:
    real = CONTROLLERS[name]
    assert real.kustomization
    assert real.project.source
    release = real.project.version
    ours = (real.kustomization.folder / release / "kustomization.yaml").read_text()
    [resource] = yaml.safe_load(at_hand(ours, release, "source"))["resources"]
    assert resource.startswith(tuple(f"source/{part}/" for part in real.project.source.keeps))
    assert yaml.safe_load(at_hand(ours, "v0.0.1", "source")) == yaml.safe_load(ours), "of that release alone"


def test_what_is_not_built_stays_played_unless_it_shall_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    chosen = choose(graph_of(document("lab")), build=False)
    assert chosen.played["kueue"] == "not built yet: bedplate lab up --controllers real"
    assert not chosen.real


def test_a_line_that_the_source_no_longer_has_ends_the_build(tmp_path: Path) -> None:
    (tmp_path / "main.go").write_text('a = "/visibility"\n')
    apply_edits([Edit("main.go", '"/visibility"', '"visibility"')], tmp_path)
    assert (tmp_path / "main.go").read_text() == 'a = "visibility"\n'
    with pytest.raises(LabError, match=r"main.go no longer has this line once, which the lab must change: a/b"):
        apply_edits([Edit("main.go", "a/b", "c")], tmp_path)


def test_what_is_kept_of_a_source_lies_beside_the_binaries(tmp_path: Path) -> None:
    chart = tmp_path / "source" / "charts" / "kueue"
    chart.mkdir(parents=True)
    (chart / "Chart.yaml").write_text("name: kueue\n")
    Source(("charts/kueue",)).keep(tmp_path / "source", tmp_path / "bin")
    assert (tmp_path / "bin" / "charts" / "kueue" / "Chart.yaml").exists()


def test_the_report_says_what_is_real_and_why_the_rest_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    lab = Cluster("told")
    (lab.controllers / "kueue").mkdir(parents=True)
    (lab.controllers / "kueue" / "command.json").write_text("{}")
    (lab.controllers / "played.json").write_text('{"kuberay": "no module"}')
    assert list(lines(lab)) == [
        "kueue                    real: not running",
        "kuberay                  played: no module",
    ]


def test_what_is_said_of_a_controller_is_folded_below_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(command, "OUT", Console(width=60, soft_wrap=True))
    lab = Cluster("told")
    lab.controllers.mkdir(parents=True)
    (lab.controllers / "played.json").write_text(f'{{"kuberay": "{"no module of its own " * 5}"}}')
    assert command.main(["--name", "told", "status"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert max(map(len, said)) <= 60
    assert said[-1] == " " * 25 + "of its own"
