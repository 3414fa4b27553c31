"""What an offline plan costs, on this machine and in this run: `make bench`.

Two figures with a target. The full reference stack against a one-resource program under the same monitor, process
start included, taken in turns so that a busy machine slows both. And the growth from 10 to 1,000 pools, as time of the
processor per resource within one process. Prints figures and exits 1 if a target is missed.
"""

import os
import statistics
import subprocess
import sys
import time
from typing import Any

from bedplate.folders import PROJECT
from bedplate.plan.capture import capture_config
from bedplate.stacks.profile.stack_file import PROFILE_KEY, StackFiles
from bench.measured import seconds, show

STACK = "onprem-h100-roce"
CLOUD_STACK = "gke-a3-mega"
RUNS, GROWTH_RUNS = 7, 3
RATIO_TARGET = 2.5
GROWTH_TARGET = 2.0


def main() -> int:
    """Measure, print, and say by the exit status whether the targets are met."""
    full, one = startup()
    few, many = growth(10), growth(1_000)
    ratio, slope = full / one, many[1] / few[1]
    rows = (
        ("one-resource program", f"{one:.2f} s", ""),
        (f"plan {STACK}", f"{full:.2f} s", ""),
        ("ratio", f"{ratio:.2f}", f"at most {RATIO_TARGET}"),
        (f"10 pools, {few[0]} resources", f"{few[1] * 1000:.2f} ms each", ""),
        (f"1,000 pools, {many[0]} resources", f"{many[1] * 1000:.2f} ms each", ""),
        ("growth per resource", f"{slope:.2f}", f"at most {GROWTH_TARGET}"),
    )
    show(("figure", "measured", "target"), rows)
    return 0 if ratio <= RATIO_TARGET and slope <= GROWTH_TARGET else 1


def startup() -> tuple[float, float]:
    """Median seconds of a whole plan and of the yardstick."""
    full, one = list[float](), list[float]()
    for _ in range(RUNS):
        one.append(seconds(lambda: _run("bench.one_resource")))
        full.append(seconds(lambda: _run("bedplate.plan", STACK)))
    return statistics.median(full), statistics.median(one)


def growth(pools: int) -> tuple[int, float]:
    """How many resources that many pools declare, and median seconds of the processor for each of them."""
    config = profile_with(pools)
    resources = len(capture_config("bench", config).resources)
    runs = [seconds(lambda: capture_config("bench", config), time.process_time) for _ in range(GROWTH_RUNS)]
    return resources, statistics.median(runs) / resources


def profile_with(pools: int) -> dict[str, Any]:
    """A cloud's stack with that many pools of one node: each brings a placement policy and a node pool.

    GKE and not EKS, whose launch templates list 32 interfaces: with so much heavier resources coming in, the mean would
    tell of the mix and not of growth.
    """
    profile = StackFiles().profile(CLOUD_STACK)
    system, pool = profile["pools"]
    profile["pools"] = [system, *({**pool, "name": f"pool-{index}", "nodes": 1} for index in range(pools))]
    # Kueue takes at most 64 pools, and a team's number of GPUs names a pool that is not here.
    profile["scheduling"] = {"kind": "kai"}
    for named in ("serving", "verification", "training"):
        profile.pop(named, None)  # they stand on the pool that was there, and the Trainer has a runtime for each
    for team in profile["tenancy"]["teams"]:
        team.pop("gpus", None)
    profile["cloud"]["networks"] = {**profile["cloud"].get("networks", {}), "subnetPrefix": 20}
    return {PROFILE_KEY: profile}


def _run(module: str, *arguments: str) -> None:
    """As a user runs it: Python keeps the modules compiled, whatever the caller's environment forbids."""
    command = [sys.executable, "-m", module, *arguments]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, cwd=PROJECT, env=environment, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own modules


if __name__ == "__main__":
    sys.exit(main())
