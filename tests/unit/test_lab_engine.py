"""What surrounds the Pulumi CLI, without one: a stand-in says how it was called."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from bedplate.lab import cli, deploy
from bedplate.lab.__main__ import main
from bedplate.lab.binaries import LabError
from bedplate.lab.cluster import Cluster
from bedplate.lab.deploy import crds_message, provide_cli
from bedplate.lab.engine import Engine, lab_config, lab_profile
from bedplate.stacks.profile.stack_file import StackFiles
from tests.rooms import ROOT


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("BEDPLATE_CHART_MIRROR", raising=False)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """An engine whose CLI prints its arguments and the variables that matter, or fails when told so."""
    cli = tmp_path / "pulumi"
    cli.write_text('#!/bin/sh\n[ "$FAIL" ] && { echo "error: $FAIL" >&2; exit 255; }\necho "$@|$PULUMI_BACKEND_URL"\n')
    cli.chmod(0o755)
    return Engine(Cluster("nowhere"), tmp_path / "project", str(cli))


def test_the_project_is_made_of_links_and_a_stack_file_of_its_own(engine: Engine) -> None:
    before = (ROOT / "stacks" / "Pulumi.lab.yaml").read_text()
    engine.prepare()
    assert (engine.folder / "__main__.py").resolve() == ROOT / "__main__.py"
    assert not engine.stack_file.is_symlink()
    engine.configure({**lab_profile(), "name": "changed"})
    assert (ROOT / "stacks" / "Pulumi.lab.yaml").read_text() == before


def test_all_of_the_program_is_in_it_and_one_stack_file(engine: Engine) -> None:
    engine.prepare()
    assert (engine.folder / "bedplate" / "stacks" / "platform" / "deploy.py").is_file()
    assert (engine.folder / "components" / "network" / "multus" / "kustomization.yaml").is_file()
    assert [path.name for path in (engine.folder / "stacks").iterdir()] == ["Pulumi.lab.yaml"]


def test_labs_beside_each_other_have_a_project_and_a_context_each() -> None:
    one, other = Cluster("one"), Cluster("other")
    assert deploy.folder(one) != deploy.folder(other)
    assert deploy.profile(other, StackFiles(), "lab")["context"] == "kwok-other"


def test_a_new_profile_keeps_the_salt_that_the_cli_wrote(engine: Engine) -> None:
    engine.prepare()
    written = yaml.safe_load(engine.stack_file.read_text())
    engine.stack_file.write_text(yaml.safe_dump({"encryptionsalt": "v1:salt", **written}))
    engine.configure({"name": "changed"})
    kept = yaml.safe_load(engine.stack_file.read_text())
    assert kept["encryptionsalt"] == "v1:salt"
    assert kept["config"]["bedplate:profile"] == {"name": "changed"}


def test_the_cli_works_in_that_project_on_a_file_backend_and_asks_nothing(engine: Engine) -> None:
    engine.prepare()
    said = engine.run("up", "--yes")
    assert said == f"--cwd {engine.folder} --non-interactive up --yes|{(engine.folder / 'backend').as_uri()}\n"


def test_the_only_cluster_in_sight_is_the_lab(engine: Engine) -> None:
    assert engine.variables["KUBECONFIG"] == str(engine.cluster.kubeconfig)


def test_a_failure_says_what_the_cli_said(engine: Engine) -> None:
    failing = Engine(engine.cluster, engine.folder, engine.cli, {"FAIL": "the stack is currently locked"})
    with pytest.raises(LabError, match=r"`pulumi up` ended with status 255\nerror: the stack is currently locked"):
        failing.run("up")


def test_removing_leaves_the_linked_project_alone(engine: Engine) -> None:
    engine.prepare()
    engine.remove()
    assert not engine.folder.exists()
    assert (ROOT / "__main__.py").exists()


def test_charts_come_from_the_mirror_that_the_environment_names(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lab_profile() == lab_config()["bedplate:profile"]
    monkeypatch.setenv("BEDPLATE_CHART_MIRROR", "/charts")
    assert lab_profile()["charts"] == {"mirror": "/charts"}


def test_an_installed_cli_is_used(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(engine.cli).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr("bedplate.lab.engine.TOOLS", Path("nowhere"))
    assert provide_cli() == engine.cli


def test_without_cli_and_internet_the_plan_is_shown_and_the_way_out_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(deploy, "find_cli", lambda: None)
    monkeypatch.setattr(cli, "RELEASES", "https://pulumi.invalid")
    monkeypatch.setattr(deploy, "plan", shown.extend)
    monkeypatch.setattr("bedplate.lab.__main__.provide", dict)
    assert main(["deploy"]) == 1
    assert shown == ["lab"]
    assert "no Pulumi CLI here, and https://pulumi.invalid cannot be reached" in capsys.readouterr().err


@pytest.mark.parametrize("words", [("deploy", "eks-p5"), ("up", "eks-p5", "--deploy")])
def test_a_stack_that_makes_nodes_in_a_cloud_is_not_deployed_to_the_lab(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bedplate.lab.__main__.provide", dict)
    assert main(words) == 2
    assert "eks-p5: its nodes are made in a cloud, and a lab has none: plan it" in capsys.readouterr().err


@pytest.fixture
def company(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StackFiles:
    """A project of a user's own, with a program and a secret that is encrypted for others."""
    root = tmp_path / "company"
    (root / "clusters").mkdir(parents=True)
    (root / "Pulumi.yaml").write_text("name: company\nruntime: python\nstackConfigDir: clusters\n")
    (root / "__main__.py").write_text("from bedplate import deploy\n\ndeploy()\n")
    secret = {"bedplate:grafanaPassword": {"secure": "v1:theirs"}, "company:region": "west"}
    profile = yaml.safe_load((ROOT / "tests" / "profiles" / "l40s-lab.yaml").read_text())
    stated = {"encryptionsalt": "v1:theirs", "config": {**secret, "bedplate:profile": profile}}
    (root / "clusters" / "Pulumi.prod.yaml").write_text(yaml.safe_dump(stated))
    monkeypatch.chdir(root)
    return StackFiles.here()


def test_a_project_of_ones_own_is_deployed_by_its_own_program_with_secrets_made_for_the_lab(
    engine: Engine, company: StackFiles
) -> None:
    own = replace(engine, source=company, deployed="prod")
    own.prepare({**lab_profile("prod", company), "context": "kwok-nowhere"})
    own.set_secrets(["grafanaPassword"])
    assert (own.folder / "__main__.py").resolve() == company.root / "__main__.py"
    assert [path.name for path in (own.folder / "clusters").iterdir()] == ["Pulumi.lab.yaml"]
    kept = yaml.safe_load(own.stack_file.read_text())
    assert "encryptionsalt" not in kept
    assert {key for key in kept["config"] if key != "bedplate:profile"} == {"company:region"}
    assert kept["config"]["bedplate:profile"]["context"] == "kwok-nowhere"
    assert (company.root / "clusters" / "Pulumi.prod.yaml").read_text().count("v1:theirs") == 2


def test_a_secret_is_set_once(engine: Engine, company: StackFiles, capfd: pytest.CaptureFixture[str]) -> None:
    told = engine.folder.parent / "told"
    Path(engine.cli).write_text(f'#!/bin/sh\necho "$@" >> {told}\n')
    own = replace(engine, source=company, deployed="prod")
    own.prepare(lab_profile("prod", company))
    own.set_secrets(["grafanaPassword"])
    assert "config set --secret bedplate:grafanaPassword lab: made for it --stack lab" in told.read_text()
    own.stack_file.write_text(yaml.safe_dump({"config": {"bedplate:grafanaPassword": {"secure": "v1:ours"}}}))
    told.unlink()
    own.set_secrets(["grafanaPassword"])
    assert not told.exists()


def test_down_takes_the_deployed_project_with_it(monkeypatch: pytest.MonkeyPatch, engine: Engine) -> None:
    monkeypatch.setattr("bedplate.lab.__main__.provide", dict)
    monkeypatch.setattr(Cluster, "stop", lambda _: None)
    place = deploy.folder(Cluster("nowhere"))
    replace(engine, folder=place).prepare()
    assert main(["--name", "nowhere", "down"]) == 0
    assert not place.exists()


def test_the_crds_that_helm_keeps_are_named_with_the_command_that_removes_them() -> None:
    message = crds_message(["a.example.com", "b.example.com"])
    assert "Helm keeps 2 CRDs" in message
    assert message.endswith("kubectl delete crd a.example.com b.example.com")
