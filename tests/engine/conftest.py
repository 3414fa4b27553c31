"""A real Pulumi on a lab: skipped, with the reason, where the CLI, its plugin or the charts are out of reach."""

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bedplate.lab.binaries import LabError, provide
from bedplate.lab.cluster import Cluster
from bedplate.lab.engine import Engine, find_cli, lab_profile
from bedplate.lab.recovery import end, leftovers
from bedplate.lab.site import site
from bedplate.stacks.load import load

CHART_HOST = ("helm.ngc.nvidia.com", 443)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/engine" in item.path.as_posix():
            item.add_marker(pytest.mark.engine)


def missing() -> str:
    """What keeps these tests from running here; empty if nothing does."""
    cli = find_cli()
    if cli is None:
        return "no Pulumi CLI: `make up` installs one where there is internet"
    listed = subprocess.run([cli, "plugin", "ls", "--json"], capture_output=True, text=True, check=False).stdout
    plugins = {plugin["name"] for plugin in json.loads(listed or "[]")}
    on_path = shutil.which("pulumi-resource-kubernetes")  # the engine takes it from there, and does not list it
    if "kubernetes" not in plugins and not on_path and not online():
        return "no kubernetes plugin: `pulumi plugin install resource kubernetes`"
    if not os.environ.get("BEDPLATE_CHART_MIRROR") and not online():
        return "no charts: set BEDPLATE_CHART_MIRROR to a folder of <chart>-<version>.tgz"
    return ""


def online() -> bool:
    """Whether the public charts can be had."""
    try:
        with socket.create_connection(CHART_HOST, timeout=3):
            return True
    except OSError:
        return False


@pytest.fixture(scope="session")
def cli() -> str:
    if reason := missing():
        pytest.skip(reason)
    found = find_cli()
    assert found
    return found


@contextmanager
def datacenter(profile: Mapping[str, Any]) -> Generator[Cluster]:
    """A lab of its own that holds what the profile finds on its cluster."""
    try:
        lab = Cluster(f"engine-{os.getpid()}", provide())
    except LabError as error:
        pytest.skip(str(error))
    try:
        lab.start()
        lab.apply(site(load(profile)))
        yield lab
    finally:
        lab.stop()


@pytest.fixture
def cluster(cli: str) -> Iterator[Cluster]:
    """A lab that a profile's context allows, with the nodes of its pools; a new one for every test."""
    with datacenter(lab_profile()) as lab:
        yield lab


@pytest.fixture
def engine(cli: str, cluster: Cluster, tmp_path: Path) -> Iterator[Engine]:
    """The lab's stack in a project of its own; nothing is deployed yet."""
    made = Engine(cluster, tmp_path / "project", cli)
    yield made.prepare({**lab_profile(), "context": cluster.context})
    end(leftovers(made.backend))


@pytest.fixture
def deployed(engine: Engine) -> Engine:
    """The lab's stack, deployed."""
    engine.run("up", "--yes", "--stack", "lab")
    return engine
