"""What is real in a lab and what is played, from what was written down when it was made: no controller is asked."""

import json
from collections.abc import Iterator

from bedplate.lab.cluster import Cluster

COLUMN = 25
"""Where what is said of a controller begins."""
NOW, PEAK = "VmRSS:", "VmHWM:"


def lines(cluster: Cluster) -> Iterator[str]:
    """A line for each controller of the stack, real ones with their process and memory; none for a lab without."""
    alive = cluster.processes()
    for path in sorted(cluster.controllers.glob("*/command.json")):
        name = path.parent.name
        state = f"process {alive[name]}, {resident(alive[name])} MiB" if name in alive else "not running"
        yield f"{name:<{COLUMN}}real: {state}"
    kept = cluster.controllers / "played.json"
    for name, why in json.loads(kept.read_text()).items() if kept.exists() else ():
        yield f"{name:<{COLUMN}}played: {why}"


def resident(pid: int, which: str = NOW) -> int:
    """Memory of a process, now or at its highest, in MiB; Linux counts it in KiB."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:  # noqa: PTH123 - of the kernel
        return next(int(line.split()[1]) for line in status if line.startswith(which)) // 1024
