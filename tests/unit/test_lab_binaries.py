"""How the lab's binaries are found and built, without building one."""

from pathlib import Path

import pytest

from bedplate.lab import binaries
from bedplate.lab.__main__ import main
from bedplate.lab.binaries import PROJECTS, LabError, Project, find_go, folder, go_mod, is_built, provide

KUBERNETES = PROJECTS[0]
UPSTREAM = """module k8s.io/kubernetes

go 1.25.0

require k8s.io/utils v0.0.0-20251002143259-bc988d571ff4

replace (
\tk8s.io/api => ./staging/src/k8s.io/api
\tk8s.io/kubectl => ./staging/src/k8s.io/kubectl
)
"""


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def fill(project: Project) -> None:
    folder(project).mkdir(parents=True)
    for command in project.commands:
        (folder(project) / command).touch()


def test_staging_modules_are_taken_from_the_proxy_at_the_matching_version() -> None:
    text = go_mod(KUBERNETES, UPSTREAM)
    assert "go 1.25.0" in text
    assert f"require k8s.io/kubernetes {KUBERNETES.version}" in text
    assert f"replace k8s.io/kubectl => k8s.io/kubectl {KUBERNETES.staging}" in text
    assert "k8s.io/utils" not in text


def test_other_projects_get_no_replace_lines() -> None:
    text = go_mod(PROJECTS[1], "go 1.26.0\nreplace go.etcd.io/etcd/api/v3 => ../api\n")
    assert "replace" not in text


def test_binaries_are_kept_by_version_in_the_users_cache(tmp_path: Path) -> None:
    assert folder(KUBERNETES) == tmp_path / "bedplate" / "lab" / f"kubernetes-{KUBERNETES.version}"


def test_a_folder_that_lacks_one_command_is_not_built() -> None:
    fill(KUBERNETES)
    assert is_built(KUBERNETES)
    (folder(KUBERNETES) / "kubectl").unlink()
    assert not is_built(KUBERNETES)


def test_what_is_in_the_cache_needs_no_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "find_go", lambda: pytest.fail("asked for Go"))
    for project in PROJECTS:
        fill(project)
    assert provide()["etcd"] == folder(PROJECTS[1]) / "etcd"


def test_a_missing_go_is_named_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(LabError, match=r"no `go` here: install Go .* --download"):
        find_go()


def test_the_command_line_says_it_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    assert main(["up"]) == 1
    assert capsys.readouterr().err.startswith("lab: the lab builds its control plane with Go")


def test_a_kubeconfig_of_a_lab_that_does_not_run_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--name", "nowhere", "kubeconfig"]) == 1
    assert (
        capsys.readouterr().err
        == "lab: there is no lab called nowhere: start it with `bedplate lab --name nowhere up`\n"
    )


def test_a_module_is_built_by_one_that_requires_it_as_its_own_go_mod_says(tmp_path: Path) -> None:
    """The Go command is a stub that answers as `go mod download -json` does (cmd/go, `go help mod download`)."""
    (tmp_path / "upstream.mod").write_text(UPSTREAM)
    (tmp_path / "go").write_text(f'#!/bin/sh\necho \'{{"GoMod": "{tmp_path}/upstream.mod"}}\'\n')
    (tmp_path / "go").chmod(0o755)
    binaries._prepare(str(tmp_path / "go"), KUBERNETES, tmp_path)  # noqa: SLF001 - what a build does before it compiles
    assert (tmp_path / "go.mod").read_text() == go_mod(KUBERNETES, UPSTREAM)


@pytest.mark.parametrize("place", [None, "/usr/local/go/bin"])
def test_go_is_taken_from_the_path_or_from_where_its_installer_puts_it(
    place: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(binaries.shutil, "which", lambda _, path=None: "/its/go" if path == place else None)
    assert find_go() == "/its/go"
