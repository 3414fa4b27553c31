"""Every object of every cluster that we know is what somebody looked at, down to the last value."""

import pytest

from tests.tools.golden_objects import CLUSTERS, declared, digests, golden

REFRESH = "look at it with `bedplate diff`; if it is meant, run `python -m tests.tools.golden_objects`"


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_no_object_changes_unseen(cluster: str) -> None:
    now, before = digests(declared(cluster)), golden(cluster)
    changed = sorted(name for name in now.keys() | before.keys() if now.get(name) != before.get(name))
    assert changed == [], REFRESH
