"""What one node's GPUs and RDMA links say of themselves, and what is wrong with that. Pure.

`SCRIPT` runs in a pod that holds all GPUs of its node, before the all-reduce inside the node; it only prints, in
sections that begin with `== NAME`, and the last of them is empty: without it the log breaks off, and proves nothing.
Formats: nvidia-smi's CSV (its `--help-query-gpu`), `/proc/driver/nvidia/version` of the proprietary and of the open
kernel module, and the ports of `/sys/class/infiniband` (Linux, Documentation/ABI/stable/sysfs-class-infiniband).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bedplate.verify.outcome import Case, judged

GPU_FIELDS = ("index", "name", "driver_version", "ecc.mode.current", "ecc.errors.uncorrected.volatile.total")
SLOWED = ("hw_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown")
"""Reasons for a lower clock that are faults: heat, and a power supply that asks for less."""
OPEN, VERSION = "Open Kernel Module", re.compile(r"Module(?: for \S+)?\s+(\S+)")
PORT = re.compile(r"^(\S+) (\d): ([A-Z_]+)\|([\d.]+) Gb/sec[^|]*\|(\w+)$")
SCRIPT = f"""say() {{ echo "== $1"; }}
say gpus; nvidia-smi --query-gpu={",".join(GPU_FIELDS)} --format=csv,noheader,nounits 2>&1
say clocks
for word in clocks_event_reasons clocks_throttle_reasons; do
  nvidia-smi --query-gpu=index,{",".join(f"$word.{reason}" for reason in SLOWED)} --format=csv,noheader 2>&1 && break
done
say module; cat /proc/driver/nvidia/version 2>&1
say links
for port in /sys/class/infiniband/*/ports/*; do
  [ -r "$port/state" ] || continue
  device=${{port#/sys/class/infiniband/}}
  echo "${{device%%/*}} $(cat "$port/state")|$(cat "$port/rate")|$(cat "$port/link_layer")"
done
say end
"""
"""The older word for a reason is asked where the newer one is not known (before driver 535)."""


@dataclass(frozen=True)
class Desired:
    """What the profile promises of each node of a pool."""

    gpus: int
    driver: str | None = None
    """Its version, where the profile says one."""
    open_module: bool = False
    """The kernel module must be the open one."""
    links: int = 0
    """RDMA ports of the fabric; 0: pods of one node do not see them, or there are none."""
    gbps: int = 0
    """Rate of each of them; 0: the driver does not tell it truly."""


def sections(log: str) -> dict[str, list[str]]:
    """Lines by section; what stands before the first is no part of it."""
    by_name: dict[str, list[str]] = {}
    name = ""
    for line in log.splitlines():
        if line.startswith("== "):
            name = line.removeprefix("== ").strip()
            by_name.setdefault(name, [])
        elif name and line.strip():
            by_name[name].append(line.strip())
    return by_name


def cases(log: str, desired: Desired, node: str) -> Iterator[Case]:
    """GPU by GPU and link by link; what the log does not say is unknown."""
    by_name = sections(log)
    if "end" not in by_name:
        last = next(reversed(by_name), "nothing")
        yield Case("GPUs", node, "unknown", f"the log breaks off after {last}")
        return
    rows = [[cell.strip() for cell in line.split(",")] for line in by_name.get("gpus", ())]
    whole = [row for row in rows if len(row) == len(GPU_FIELDS) and row[0].isdigit()]
    if len(whole) < len(rows) or not rows:
        inventory = "; ".join(by_name.get("gpus", ())) or "nothing"
        yield Case("GPUs", node, "failed", f"nvidia-smi: {inventory}")
        return
    yield _counted(whole, desired, node)
    yield _corrected(whole, node)
    yield _clocks(by_name.get("clocks", []), whole, node)
    yield _driver(by_name.get("module", []), whole, desired, node)
    if desired.links:
        yield _links(by_name.get("links", []), desired, node)


def _counted(rows: list[list[str]], desired: Desired, node: str) -> Case:
    names = sorted({row[1] for row in rows})
    wrong = [f"{len(rows)} GPUs are seen, {desired.gpus} must be"] if len(rows) != desired.gpus else []
    if len(names) > 1:
        wrong.append(f"of several models: {', '.join(names)}")
    return judged("GPUs", node, wrong, f"{len(rows)} × {names[0]}")


def _corrected(rows: list[list[str]], node: str) -> Case:
    """Cards without ECC say `[N/A]`: nothing is wrong with them, and nothing is known."""
    kinds = {row[3] for row in rows}
    if kinds <= {"[N/A]", "N/A"}:
        return Case("ECC", node, "passed", "these GPUs have none")
    off = [f"GPU {row[0]}: ECC is {row[3]}" for row in rows if row[3] != "Enabled"]
    errors = [f"GPU {row[0]}: {row[4]} uncorrected errors" for row in rows if row[4] not in ("0", "[N/A]")]
    return judged("ECC", node, [*off, *errors], "enabled, no uncorrected error")


def _clocks(lines: list[str], gpus: list[list[str]], node: str) -> Case:
    rows = [[cell.strip() for cell in line.split(",")] for line in lines]
    answered = [row for row in rows if len(row) == len(SLOWED) + 1 and row[0].isdigit()]
    if len(answered) < len(gpus):
        return Case("clocks", node, "unknown", "; ".join(lines) or "nvidia-smi says nothing of them")
    slowed = [
        f"GPU {row[0]}: {reason}"
        for row in answered
        for reason, state in zip(SLOWED, row[1:], strict=True)
        if state == "Active"
    ]
    odd = sorted({state for row in answered for state in row[1:]} - {"Active", "Not Active"})
    if odd and not slowed:
        return Case("clocks", node, "unknown", f"nvidia-smi says {', '.join(odd)}")
    return judged("clocks", node, slowed, "nothing holds them back")


def _driver(lines: list[str], gpus: list[list[str]], desired: Desired, node: str) -> Case:
    first = next((line for line in lines if line.startswith("NVRM version:")), "")
    version = VERSION.search(first)
    if not version:
        return Case("driver", node, "unknown", "; ".join(lines) or "/proc/driver/nvidia/version is empty")
    wrong = [
        f"nvidia-smi says {version_loaded}, the module {version[1]}"
        for version_loaded in {row[2] for row in gpus} - {version[1]}
    ]
    if desired.driver and version[1] != desired.driver:
        wrong.append(f"it is {version[1]}, the profile says {desired.driver}")
    if desired.open_module and OPEN not in first:
        wrong.append("its kernel module is the proprietary one: DMA-BUF needs the open one")
    kind = "open" if OPEN in first else "proprietary"
    return judged("driver", node, wrong, f"{version[1]}, {kind} kernel module")


def _links(lines: list[str], desired: Desired, node: str) -> Case:
    ports = [row for line in lines if (row := PORT.match(line))]
    if not ports:
        return Case("links", node, "unknown", "; ".join(lines) or "the pod sees no RDMA device")
    sound = [port for port in ports if port[3] == "ACTIVE" and float(port[4]) >= desired.gbps]
    if len(sound) >= desired.links:
        rate = f" of {desired.gbps} Gb/s" if desired.gbps else ""
        return Case("links", node, "passed", f"{len(sound)} active{rate}")
    bad = [f"{port[1]} is {port[3]} at {port[4]} Gb/s" for port in ports if port not in sound]
    short = f"{len(sound)} of {desired.links} links are active" + (f" at {desired.gbps} Gb/s" if desired.gbps else "")
    return judged("links", node, [short, *bad])
