"""How large a datacenter the lab holds, on this machine and in this run: `make bench`.

Simulated nodes of eight GPUs each, and one gang of 512 GPUs that the real scheduler places all or nothing. Prints
seconds and memory; the cluster is its own and gone afterwards.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

import yaml

from bedplate.components.facts.pools import GPU
from bedplate.lab.binaries import provide
from bedplate.lab.cluster import Cluster
from bedplate.lab.nodes import nodes
from bedplate.lab.report import PEAK, resident
from bedplate.lab.watch import PHASE, condition, counts, watch
from bedplate.stacks.load import load
from bench.measured import seconds, show

GPUS_PER_NODE = 8
GANG = ("GenericWorkload", "GangScheduling")
DATACENTER, GANG_OBJECTS = (Path(__file__).with_name(f"{name}.yaml") for name in ("datacenter", "gang"))


@dataclass(frozen=True)
class Figures:
    """What one run took."""

    nodes: int
    gpus: int
    start: float
    join: float
    gang: float
    memory_mib: int


def measure(size: int, gang: int = 512, name: str = "bench") -> Figures:
    """Start a cluster, let `size` nodes join, and place a gang of so many GPUs."""
    cluster = Cluster(name, provide(), features=GANG)
    try:
        start = seconds(cluster.start)
        join = seconds(lambda: _join(cluster, size))
        place = seconds(lambda: _place(cluster, gang // GPUS_PER_NODE))
        return Figures(size, size * GPUS_PER_NODE, start, join, place, memory(cluster))
    finally:
        cluster.stop()


def memory(cluster: Cluster) -> int:
    """Resident memory of the whole control plane at its highest, in MiB."""
    return sum(peaks(cluster).values())


def peaks(cluster: Cluster) -> dict[str, int]:
    """Resident memory of each process at its highest, in MiB."""
    return {name: resident(pid, PEAK) for name, pid in cluster.processes().items()}


def datacenter(size: int, **more: object) -> dict[str, Any]:
    """A profile with so many DGX H100."""
    profile = yaml.safe_load(DATACENTER.read_text(encoding="utf-8"))
    profile["pools"][0]["nodes"] = size
    return profile | more


def _join(cluster: Cluster, size: int) -> None:
    cluster.create([one for one in nodes(load(datacenter(size))) if GPU in one["status"]["allocatable"]])
    watch(cluster, "nodes", condition("Ready"), counts("True", size), seconds=600)


def _place(cluster: Cluster, pods: int) -> None:
    gang = Template(GANG_OBJECTS.read_text(encoding="utf-8")).substitute(pods=pods, gpus=GPUS_PER_NODE)
    cluster.apply(yaml.safe_load(gang))
    watch(cluster, "pods -l job=gang", PHASE, counts("Running", pods), seconds=600)


def main(size: int) -> int:
    """Measure and print."""
    figures = measure(size)
    rows = (
        ("control plane up", f"{figures.start:.1f} s"),
        (f"{figures.nodes:,} nodes, {figures.gpus:,} GPUs Ready", f"{figures.join:.1f} s"),
        ("gang of 512 GPUs Running", f"{figures.gang:.1f} s"),
        ("memory of the control plane", f"{figures.memory_mib:,} MiB"),
    )
    show(("figure", "measured"), rows)
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000))
