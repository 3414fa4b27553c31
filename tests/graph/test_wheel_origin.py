"""A repository that `bedplate init` makes installs the Bedplate that made it, and asks no index for its name."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from bedplate import __version__
from tests.rooms import ROOT


@pytest.fixture(scope="module")
def index() -> Generator[tuple[str, list[str]]]:
    """A package index that has nothing, and remembers what it was asked for."""
    asked: list[str] = []

    class Nothing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Nothing)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/simple", asked
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def downloads(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the wheel lies that somebody installed."""
    folder = tmp_path_factory.mktemp("downloads")
    shutil.copy(built, folder)
    return folder


def pip(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", "install", "--isolated", "--disable-pip-version-check", "--retries", "0"]
    return subprocess.run([*command, *words], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(downloads: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Bedplate as pip installs it from that wheel."""
    folder = tmp_path_factory.mktemp("site")
    (file,) = downloads.iterdir()
    assert pip(folder, "--no-deps", "--no-index", "--target", ".", str(file)).returncode == 0
    return folder


def init(site: Path, folder: Path, *words: str) -> tuple[list[str], str]:
    """The requirements that count, and what the command said."""
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-P", "-m", "bedplate", "init", "prod", *words]
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    lines = (folder / "requirements.txt").read_text().splitlines()
    return [line for line in lines if not line.startswith("#")], done.stdout


def note(site: Path, stated: object) -> Path:
    """The same installation from elsewhere."""
    (place,) = site.glob("*.dist-info")
    (place / "direct_url.json").write_text(json.dumps(stated))
    return site


@pytest.fixture
def another(site: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(site, tmp_path / "another"))


@pytest.mark.parametrize(
    ("like", "more"), [("lab", ()), ("eks-p5", ("pulumi-aws==",)), ("gke-a3-mega", ("pulumi-gcp==",))]
)
def test_the_wheel_is_in_the_repository_and_installs_without_any_index(
    site: Path, tmp_path: Path, index: tuple[str, list[str]], like: str, more: tuple[str, ...]
) -> None:
    ours = tmp_path / "ours"
    (line, *others), said = init(site, ours, "--like", like)
    (file,) = (ours / "wheels").iterdir()
    assert line == f"file:wheels/{file.name}#sha256={hashlib.sha256(file.read_bytes()).hexdigest()}"
    assert [one for one, begin in zip(others, more, strict=True) if not one.startswith(begin)] == []
    assert f"wrote wheels/{file.name}" in said
    done = pip(ours, "--no-deps", "--no-index", "--target", str(tmp_path / "there"), line)
    assert done.returncode == 0, done.stderr
    url, asked = index
    pip(ours, "--index-url", url, "--target", str(tmp_path / "dependencies"), "-r", "requirements.txt")
    assert asked != []
    assert [path for path in asked if "bedplate" in path] == []


def test_another_file_of_that_name_is_refused(site: Path, tmp_path: Path) -> None:
    ours = tmp_path / "ours"
    init(site, ours)
    (file,) = (ours / "wheels").iterdir()
    file.write_bytes(file.read_bytes() + b"\0")
    done = pip(ours, "--no-deps", "--no-index", "--target", str(tmp_path / "there"), "-r", "requirements.txt")
    assert done.returncode != 0
    assert "sha256" in done.stderr


def test_a_wheel_that_is_gone_has_to_be_put_back_before_anything_is_installed(
    another: Path, tmp_path: Path, index: tuple[str, list[str]], downloads: Path
) -> None:
    (file,) = downloads.iterdir()
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    gone = {"url": f"file:///nowhere/{file.name}", "archive_info": {"hashes": {"sha256": digest}}}
    ours = tmp_path / "ours"
    lines, said = init(note(another, gone), ours)
    assert lines == [f"file:wheels/{file.name}#sha256={digest}"]
    assert " ".join(said.split()).find(f"put the wheel {file.name} with the SHA-256 {digest} into wheels/") > 0
    url, asked = index
    assert pip(ours, "--index-url", url, "--target", str(tmp_path / "there"), "-r", "requirements.txt").returncode != 0
    assert [path for path in asked if "bedplate" in path] == []
    (ours / "wheels").mkdir()
    shutil.copy(file, ours / "wheels")
    assert pip(ours, "--no-deps", "--no-index", "--target", "there", "-r", "requirements.txt").returncode == 0


@pytest.mark.parametrize(
    ("noted", "line"),
    [
        (
            {"url": "https://git.example.com/b.git", "vcs_info": {"vcs": "git", "commit_id": "a" * 40}},
            f"bedplate[aws] @ git+https://git.example.com/b.git@{'a' * 40}",
        ),
        (
            {"url": "https://example.com/b.whl", "archive_info": {"hashes": {"sha256": "b" * 64}}},
            f"bedplate[aws] @ https://example.com/b.whl#sha256={'b' * 64}",
        ),
        ({"url": "file:///src/bedplate", "dir_info": {}}, f"file:wheels/bedplate-{__version__}-py3-none-any.whl"),
        ({}, f"file:wheels/bedplate-{__version__}-py3-none-any.whl"),
    ],
    ids=["git", "url", "folder", "index"],
)
def test_an_installation_from_elsewhere_is_named_by_its_place_and_never_by_its_name(
    another: Path, tmp_path: Path, noted: object, line: str
) -> None:
    assert init(note(another, noted), tmp_path / "ours", "--like", "eks-p5")[0][0] == line


def test_a_checkout_has_no_wheel_and_takes_the_one_that_is_named(tmp_path: Path, downloads: Path) -> None:
    lines, said = init(ROOT, tmp_path / "without", "--like", "eks-p5")
    assert lines == [f"file:wheels/bedplate-{__version__}-py3-none-any.whl", lines[1]]
    assert lines[1].startswith("pulumi-aws==")
    assert "make wheel" in said
    (file,) = downloads.iterdir()
    (line, _), _ = init(ROOT, tmp_path / "with", "--like", "eks-p5", "--wheel", str(file))
    assert line.startswith(f"file:wheels/{file.name}#sha256=")
