"""What a profile says is there already is asked for before anything starts: a stand-in for kubectl has it or not."""

import json
import os
from pathlib import Path

import pytest
import yaml

from bedplate.cli import main
from bedplate.engine import command as engine
from bedplate.engine import tool
from bedplate.engine.site import absent
from bedplate.stacks.profile.stack_file import StackFiles
from tests.stack_files import profile

KUBECTL = """#!/bin/sh
cat > asked.json
[ -f answer.json ] && cat answer.json && exit 0
cat complaint >&2; exit 1
"""


@pytest.fixture
def company(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the reference's profile: StorageClasses ceph-rbd and nfs-csi are there already."""
    (tmp_path / "Pulumi.yaml").write_text("name: company\nruntime: python\nstackConfigDir: clusters\n")
    (tmp_path / "clusters").mkdir()
    stated = {"config": {"bedplate:profile": profile("onprem-h100-roce").model_dump(by_alias=True, exclude_unset=True)}}
    (tmp_path / "clusters" / "Pulumi.prod.yaml").write_text(yaml.safe_dump(json.loads(json.dumps(stated, default=str))))
    (tmp_path / "kubectl").write_text(KUBECTL)
    (tmp_path / "kubectl").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def classes(*names: str) -> list[dict[str, object]]:
    return [{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name}} for name in names]


def asked(company: Path) -> list[str]:
    return [one["metadata"]["name"] for one in json.loads((company / "asked.json").read_text())["items"]]


def said() -> list[str]:
    return list(absent("prod", StackFiles.here()))


def test_what_is_there_is_no_fault(company: Path) -> None:
    (company / "answer.json").write_text(json.dumps({"items": classes("ceph-rbd", "nfs-csi")}))
    assert said() == []
    assert asked(company) == ["ceph-rbd", "nfs-csi"]


@pytest.mark.parametrize("answer", [json.dumps(classes("nfs-csi")[0]), json.dumps({"items": classes("nfs-csi")})])
def test_a_class_that_is_missing_is_one_line_with_its_key(company: Path, answer: str) -> None:
    (company / "answer.json").write_text(answer)
    (line,) = said()
    assert line.startswith("clusters/Pulumi.prod.yaml: monitoring.storage = ceph-rbd: the cluster has no ")
    assert line.endswith("such StorageClass; make it, or name one that is there: `kubectl get storageclass`")


def test_nothing_is_there(company: Path) -> None:
    (company / "answer.json").write_text("")
    assert len(said()) == 2


def test_a_cluster_that_does_not_answer_is_one_line(company: Path) -> None:
    (company / "complaint").write_text("E1 memcache\nThe connection to the server 10.0.0.1:6443: connection refused\n")
    (line,) = said()
    assert line.startswith(
        "prod: the cluster of context onprem-h100-roce does not answer: The connection to the server"
    )
    assert line.endswith("is KUBECONFIG its file?")


def test_who_may_not_look_is_told_by_the_engine_alone(company: Path) -> None:
    (company / "complaint").write_text("Error from server (Forbidden): storageclasses.storage.k8s.io is forbidden\n")
    assert said() == []


def test_without_kubectl_the_engine_tells(company: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert said() == []


def test_nothing_is_started_where_one_is_missing(
    company: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (company / "answer.json").write_text(json.dumps({"items": classes("nfs-csi")}))
    monkeypatch.setattr("bedplate.stacks.providers.guard", lambda *_: 0)
    monkeypatch.setattr("bedplate.engine.command.lacking", lambda *_, **__: ())
    monkeypatch.setattr(tool, "cli", lambda: pytest.fail("the CLI was started"))
    assert main(["up", "prod"]) == engine.WRONG
    assert "ceph-rbd: the cluster has no such StorageClass" in capsys.readouterr().err
