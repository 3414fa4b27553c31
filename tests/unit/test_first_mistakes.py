"""What goes wrong in the first hour, in a repository of one's own: one line each, and the exit status of a mistake."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bedplate.cli import main
from bedplate.cluster.errors import ClusterError
from bedplate.cluster.kubectl import kubectl
from tests.rooms import ROOT


@pytest.fixture
def company(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    folder = tmp_path / "clusters-of-ours"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert main(["init", "prod", "--like", "inference-l40s"]) == 0
    capsys.readouterr()
    return folder


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "config: not set; the profile belongs below it (docs/profile.md has every key)"),
        ("# nothing yet\n", "config: not set; the profile belongs below it (docs/profile.md has every key)"),
        (
            "apiVersion: apps/v1\nkind: Deployment\n",
            "config: not set; the profile belongs below it (docs/profile.md has every key)",
        ),
        ("config:\n  bedplate:profil: {name: x}\n", "bedplate:profil: no such key; did you mean bedplate:profile?"),
        (
            "config:\n  aws:region: eu-west-1\n",
            "bedplate:profile: not set; add the cluster's profile (docs/profile.md has every key)",
        ),
    ],
    ids=["empty", "comment", "other", "misspelt", "absent"],
)
def test_a_stack_file_without_a_profile_is_one_line(
    company: Path, capsys: pytest.CaptureFixture[str], text: str, line: str
) -> None:
    (company / "clusters" / "Pulumi.prod.yaml").write_text(text)
    assert main(["plan", "prod"]) == 2
    assert capsys.readouterr().err == f"clusters/Pulumi.prod.yaml: {line}\n"


def test_who_looks_at_the_first_line_of_a_plan_alone_has_done_nothing_wrong(tmp_path: Path) -> None:
    command = f"set -o pipefail; {sys.executable} -m bedplate plan lab | true"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_folder_that_is_gone_is_one_line(tmp_path: Path) -> None:
    command = (
        f"mkdir {tmp_path}/gone; cd {tmp_path}/gone; rmdir {tmp_path}/gone; {sys.executable} -m bedplate init prod"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "the folder that you stand in is gone: go to another one\n")


def test_without_kubectl_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ClusterError, match=r"^kubectl: cannot be started \(No such file or directory\): install it"):
        kubectl("nowhere", "get", "nodes")


def test_a_lab_that_may_not_write_says_where(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied", str(tmp_path / "cache"))

    monkeypatch.setattr("bedplate.lab.__main__._cluster", refuse)
    assert main(["lab", "up", "--controllers", "played"]) == 1
    fix = "set XDG_CACHE_HOME to a folder that you may write"
    assert capsys.readouterr().err == f"lab: {tmp_path}/cache: cannot be written: Permission denied; {fix}\n"
