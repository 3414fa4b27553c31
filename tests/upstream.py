"""The public charts' and APIs' data that tests check against, in `../shared/upstream` beside the project."""

import os
from pathlib import Path

import pytest

UPSTREAM = Path(__file__).parents[2] / "shared" / "upstream"


def upstream(*parts: str) -> Path:
    """A file or folder of the upstream data: its absence skips a test at home and fails it in CI."""
    path = UPSTREAM.joinpath(*parts)
    if path.exists():
        return path
    reason = f"no upstream data at ../shared/upstream/{'/'.join(parts)}"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
