"""Every object of every cluster that we know, and of every job of the examples, is what somebody looked at, down to the last value."""

import pytest

from tests.tools.golden_objects import WRITTEN, digests, golden

REFRESH = "look at it with `bedplate diff`; if it is meant, run `python -m tests.tools.golden_objects`"


@pytest.mark.parametrize("name", WRITTEN)
def test_no_object_changes_unseen(name: str) -> None:
    now, before = digests(name), golden(name)
    changed = sorted(one for one in now.keys() | before.keys() if now.get(one) != before.get(one))
    assert changed == [], REFRESH
