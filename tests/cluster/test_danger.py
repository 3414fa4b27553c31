"""What `bedplate diff` says of a change is what a cluster shows: changes of a profile, one after the other, on a lab.

API server, scheduler, controllers, Kueue and JobSet are real; the change's objects are applied as the engine would.
"""

from collections.abc import Iterator

import pytest

from bedplate.lab.cluster import Cluster
from tests.cluster.danger_lab import Base, full
from tests.cluster.danger_profile import profile
from tests.cluster.danger_rows import ROWS, Row


@pytest.fixture(scope="module")
def base(cluster: Cluster) -> Iterator[Base]:
    with full(cluster) as made:
        yield made


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name.replace(" ", "-"))
def test_a_change_does_what_its_label_says(row: Row, base: Base) -> None:
    wanted = profile()
    row.edit(wanted)
    label, seen = base.try_out(wanted, undo=not row.stays)
    assert label.label == row.danger.label
    assert seen.label == row.danger.label


def test_forty_changes_are_tried_out() -> None:
    assert len({row.name for row in ROWS}) >= 40
