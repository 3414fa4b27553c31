"""How many examples a property test draws: all of them in CI, a tenth at the desk."""

from hypothesis import settings

FULL_RUN = 500
"""Examples of the profile `full` in `tests/conftest.py`."""


def examples(full: int) -> settings:
    """`full` examples in CI."""
    whole = (settings.default or settings()).max_examples >= FULL_RUN
    return settings(max_examples=full if whole else max(5, full // 10))
