"""The gate as its users start it, before the real queue: 1,000 nodes are `python -m bench.qualification`."""

import os

import pytest

from bedplate.lab import LabError
from bedplate.lab.cluster import Cluster
from bench.qualification import Size, faults, measure

SIZE = Size(nodes=60, bad=4, pods=480, kills=5, at_once=8, patience=240)


def test_while_jobs_wait_in_the_queue_no_pod_ever_stands_on_a_node_that_has_not_passed(cluster: Cluster) -> None:
    try:
        figures = measure(SIZE, f"{cluster.name}-gate")
    except LabError as missing:
        if os.environ.get("CI") or "not built" not in str(missing):
            raise
        pytest.skip(str(missing))
    assert faults(figures, SIZE) == []
    assert figures.kills == SIZE.kills
    assert figures.out.keys() == figures.bad
