"""A company's repository goes from one version to the next by one line, without network and without a checkout."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bedplate import __version__
from tests.rooms import ROOT

NEXT = f"{__version__.rpartition('.')[0]}.99"


def built(folder: Path, version: str, wheels: Path) -> None:
    """A wheel of this checkout as it would be at a version."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if not name.startswith(("tests/", "docs/", "bench/")) and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    module = folder / "bedplate" / "__init__.py"
    module.write_text(module.read_text().replace(f'"{__version__}"', f'"{version}"'))
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(wheels)]
    subprocess.run(command, cwd=folder, capture_output=True, check=True)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both versions, as somebody hands them on."""
    folder = tmp_path_factory.mktemp("wheels")
    for version in (__version__, NEXT):
        built(tmp_path_factory.mktemp("checkout"), version, folder)
    return folder


def installed(company: Path, site: Path) -> dict[str, str]:
    """The environment after `pip install -r requirements.txt`, in a folder of its own."""
    options = ["--quiet", "--disable-pip-version-check", "--no-index", "--no-deps"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(site), "-r", "requirements.txt"]
    subprocess.run(command, cwd=company, check=True)
    return {**os.environ, "PYTHONPATH": str(site)}


def bedplate(company: Path, environment: dict[str, str], *words: str) -> str:
    command = [sys.executable, "-P", "-m", "bedplate", *words]
    return subprocess.run(command, cwd=company, env=environment, capture_output=True, text=True, check=True).stdout


def declared(printed: str) -> dict[str, Any]:
    """By URN, and our pickled providers with them: a new version must not change what the state has of them."""
    return {one["urn"]: one["inputs"] for one in json.loads(printed)["resources"]}


def repinned(company: Path, wheel: Path) -> Path:
    """Another wheel in the place of the first: the file beside `requirements.txt`, and the line that names it."""
    shutil.copy(wheel, company / "wheels")
    pin = company / "requirements.txt"
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    pin.write_text(re.sub(r"file:wheels/\S+", f"file:wheels/{wheel.name}#sha256={digest}", pin.read_text()))
    return pin


def test_a_repository_pinned_to_the_version_before_is_upgraded_by_one_line(wheels: Path, tmp_path: Path) -> None:
    company = tmp_path / "gpu-clusters"
    company.mkdir()
    older, newer = (wheels / f"bedplate-{version}-py3-none-any.whl" for version in (__version__, NEXT))
    first = {**os.environ, "PYTHONPATH": str(ROOT)}
    bedplate(company, first, "init", "prod", "--like", "inference-l40s", "--wheel", str(older))
    before = {path: path.read_bytes() for path in company.rglob("*") if path.is_file()}
    old = installed(company, tmp_path / "old")
    assert bedplate(company, old, "--version") == f"bedplate {__version__}\n"
    planned = declared(bedplate(company, old, "plan", "prod", "--json"))

    pin = repinned(company, newer)
    new = installed(company, tmp_path / "new")
    assert bedplate(company, new, "--version") == f"bedplate {NEXT}\n"
    assert declared(bedplate(company, new, "plan", "prod", "--json")) == planned
    assert bedplate(company, new, "migrate", "prod").endswith(": every key has its name of today\n")
    bedplate(company, new, "init", "prod", "--like", "inference-l40s")
    assert {path for path in before if path.read_bytes() != before[path]} == {pin}
    old_lines = before[pin].decode().splitlines()
    (changed,) = [line for line in pin.read_text().splitlines() if line not in old_lines]
    assert changed.startswith(f"file:wheels/{newer.name}#sha256=")
