"""One lab for the whole tier, of its own name and ports, gone afterwards."""

import os
from collections.abc import Iterator

import pytest

from lab.binaries import LabError, provide
from lab.cluster import Cluster


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/cluster" in item.path.as_posix():
            item.add_marker(pytest.mark.cluster)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    try:
        lab = Cluster(f"tests-{os.getpid()}", provide())
    except LabError as missing:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(missing))
    try:
        lab.start()
        yield lab
    finally:
        lab.stop()
