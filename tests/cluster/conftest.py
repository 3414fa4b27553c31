"""One lab for the whole tier, of its own name and ports, gone afterwards."""

import os
import signal
from collections.abc import Iterator

import pytest

from bedplate.lab.binaries import LabError, provide
from bedplate.lab.cluster import Cluster
from bedplate.lab.watch import established
from tests.cluster.confined import confined_lab
from tests.cluster.definitions import definitions
from tests.cluster.real import Lab, lab_profile, started

TRAINING = ("jobset", "trainer", "mpiOperator", "trainingOperator")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/cluster" in item.path.as_posix():
            item.add_marker(pytest.mark.cluster)
    # What waits longest begins first: of several labs none is then left alone with it at the end.
    items.sort(key=lambda item: not item.path.name.startswith("test_real_"))


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    try:
        lab = Cluster(f"tests-{os.getpid()}", provide())
    except LabError as missing:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(missing))
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # who ends the tests ends the lab
    try:
        lab.start()
        yield lab
    finally:
        lab.stop()


@pytest.fixture(scope="session")
def crds(cluster: Cluster) -> None:
    """Every kind that the stack's charts would bring."""
    cluster.create(definitions())
    established(cluster, (definition["metadata"]["name"] for definition in definitions()), seconds=180)


@pytest.fixture(scope="module")
def confined(cluster: Cluster) -> Iterator[Cluster]:
    """One of its own: the lab's teams, their limits and what confines them, and no controller of jobs."""
    with confined_lab(cluster) as lab:
        yield lab


@pytest.fixture(scope="session")
def kueue(cluster: Cluster) -> Iterator[Lab]:
    """Four nodes and two teams, with the real queue and every controller of jobs; whoever uses it clears it."""
    with started(cluster, "kueue", lab_profile(4, TRAINING), ("kueue", "jobset")) as lab:
        yield lab


@pytest.fixture(scope="session")
def volcano(cluster: Cluster) -> Iterator[Lab]:
    """The same with the scheduler that is its own queue."""
    with started(cluster, "volcano", lab_profile(4, TRAINING, "volcano"), ("volcano", "jobset")) as lab:
        yield lab
