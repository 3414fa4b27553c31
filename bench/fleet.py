"""What plan and diff of a fleet cost, on this machine and in this run: `make bench`.

Fifty clusters, in turns of four kinds, are planned in one process and held against plans of the same; the first pays
for Pulumi's SDK. Prints figures and exits 1 if a target is missed.
"""

import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bedplate.fleet.diff import rows
from bedplate.fleet.plans import plans
from bedplate.fleet.reading import formation
from bedplate.stacks.profile.stack_file import StackFiles
from bench.measured import show

CLUSTERS = 50
KINDS = ("onprem-h100-roce", "onprem-h100-ib", "inference-l40s", "lab")
EACH_TARGET = 0.6
MEMORY_TARGET = 1024
"""MiB."""


def main() -> int:
    """Measure, print, and say by the exit status whether the targets are met."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder))
        started = time.process_time()
        formed = formation(Path(folder) / "fleet.yaml")
        reading = time.process_time() - started
        out = Path(folder) / "plans"
        out.mkdir()
        planned = seconds(plans(formed, out))
        started = time.process_time()
        rows(formed, out)
        compared = (time.process_time() - started) / CLUSTERS
    later = sum(planned[1:]) / (CLUSTERS - 1)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    figures = (
        (f"read {CLUSTERS} profiles", f"{reading:.2f} s", ""),
        ("plan, the first", f"{planned[0]:.2f} s", ""),
        ("plan, each after it, written", f"{later:.2f} s", f"at most {EACH_TARGET}"),
        ("diff, each", f"{compared:.2f} s", f"at most {EACH_TARGET}"),
        ("memory", f"{memory} MiB", f"at most {MEMORY_TARGET}"),
    )
    show(("figure", "measured", "target"), figures)
    return 0 if max(later, compared) <= EACH_TARGET and memory <= MEMORY_TARGET else 1


def write(folder: Path) -> None:
    """A fleet whose clusters differ by name and context."""
    files = StackFiles()
    for number in range(CLUSTERS):
        stated: dict[str, Any] = files.profile(KINDS[number % len(KINDS)])
        name = f"c{number:02}"
        profile = json.dumps({**stated, "name": name, "context": name}, default=str)
        (folder / f"{name}.yaml").write_text(profile, encoding="utf-8")
    fleet = "name: bench\nclusters: [{path: 'c*.yaml'}]\nwaves: [{name: canary, percent: 2}, {name: rest}]\n"
    (folder / "fleet.yaml").write_text(fleet, encoding="utf-8")


def seconds(planned: Any) -> list[float]:  # noqa: ANN401 - plans, one after the other
    """Of the processor, for each."""
    spent, before = list[float](), time.process_time()
    for _ in planned:
        now = time.process_time()
        spent.append(now - before)
        before = now
    return spent


if __name__ == "__main__":
    sys.exit(main())
