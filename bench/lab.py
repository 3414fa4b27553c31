"""How large a datacenter the lab holds, on this machine and in this run: `make bench`.

Simulated nodes of eight GPUs each, and one gang of 512 GPUs that the real scheduler places all or nothing. Prints
seconds and memory; the cluster is its own and gone afterwards.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from bedplate.components.facts.pools import GPU
from bedplate.lab.binaries import provide
from bedplate.lab.cluster import Cluster
from bedplate.lab.nodes import nodes
from bedplate.lab.report import PEAK, resident
from bedplate.lab.watch import PHASE, condition, counts, watch
from bedplate.stacks.load import load

GPUS_PER_NODE = 8
GANG = ("GenericWorkload", "GangScheduling")


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
    return {
        "name": "bench",
        "platform": "kubeadm",
        "kubernetesVersion": "1.35",
        "context": "kwok-bench",
        "driverOwner": "operator",
        "pools": [
            {"name": "h100", "shape": "dgx-h100", "nodes": size},
            {"name": "system", "shape": {"cpus": 16, "memoryGib": 64}, "nodes": 1},
        ],
        "fabric": {"kind": "none"},
        "nfd": {},
        "gpuOperator": {},
        **more,
    }


def _join(cluster: Cluster, size: int) -> None:
    cluster.create([one for one in nodes(load(datacenter(size))) if GPU in one["status"]["allocatable"]])
    watch(cluster, "nodes", condition("Ready"), counts("True", size), seconds=600)


def _place(cluster: Cluster, pods: int) -> None:
    cluster.apply([_workload(pods), _job(pods)])
    watch(cluster, "pods -l job=gang", PHASE, counts("Running", pods), seconds=600)


def _workload(pods: int) -> dict[str, Any]:
    group = {"name": "workers", "policy": {"gang": {"minCount": pods}}}
    metadata = {"name": "gang", "namespace": "default"}
    api = "scheduling.k8s.io/v1alpha1"
    return {"apiVersion": api, "kind": "Workload", "metadata": metadata, "spec": {"podGroups": [group]}}


def _job(pods: int) -> dict[str, Any]:
    spec = {
        "restartPolicy": "Never",
        "workloadRef": {"name": "gang", "podGroup": "workers"},
        "tolerations": [{"operator": "Exists"}],
        "containers": [{"name": "main", "image": "any", "resources": {"limits": {GPU: GPUS_PER_NODE}}}],
    }
    runs = {"annotations": {"lab.bedplate/runs-for": "1h"}, "labels": {"job": "gang"}}
    template = {"metadata": runs, "spec": spec}
    metadata = {"name": "gang", "namespace": "default"}
    job = {"parallelism": pods, "completions": pods, "template": template}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": job}


def seconds(work: Callable[[], object]) -> float:
    """How long it takes."""
    started = time.monotonic()
    work()
    return time.monotonic() - started


def main(size: int) -> int:
    """Measure and print."""
    figures = measure(size)
    table = Table("figure", "measured")
    table.add_row("control plane up", f"{figures.start:.1f} s")
    table.add_row(f"{figures.nodes:,} nodes, {figures.gpus:,} GPUs Ready", f"{figures.join:.1f} s")
    table.add_row("gang of 512 GPUs Running", f"{figures.gang:.1f} s")
    table.add_row("memory of the control plane", f"{figures.memory_mib:,} MiB")
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000))
