"""The public charts' and APIs' data that tests check against, in `../shared/upstream` beside the project.

It is not part of the project. Where it is missing, in a fork for example, the tests that need it skip and say so, unless
BEDPLATE_UPSTREAM is `required`: so it is wherever CI has it (.ci/run).
"""

import os
from pathlib import Path

import pytest

UPSTREAM = Path(__file__).parents[2] / "shared" / "upstream"


def upstream(*parts: str) -> Path:
    """A file or folder of the upstream data."""
    path = UPSTREAM.joinpath(*parts)
    if path.exists():
        return path
    reason = f"no upstream data at ../shared/upstream/{'/'.join(parts)}"
    if os.environ.get("BEDPLATE_UPSTREAM") == "required":
        pytest.fail(reason)
    pytest.skip(reason, allow_module_level=True)
