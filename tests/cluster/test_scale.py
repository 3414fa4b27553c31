"""A datacenter of 1,000 nodes on one machine."""

import os

from bench.lab import measure

MEMORY_MIB = 6 * 1024


def test_a_thousand_nodes_take_a_gang_of_512_gpus() -> None:
    figures = measure(1000, name=f"tests-{os.getpid()}-scale")
    assert figures.gpus == 8000
    assert figures.memory_mib < MEMORY_MIB
