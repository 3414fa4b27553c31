"""One wheel of the checkout for every test that installs it."""

from pathlib import Path

import pytest

from tests.wheels import build


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", tmp_path_factory.mktemp("wheel"))
