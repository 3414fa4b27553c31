"""Collectives for a pod without GPUs: NCCL's log and the time that an all-reduce takes."""

import os
import pathlib
from types import SimpleNamespace

from torch import clock

WORLD = 16
SLOW_START = 5
"""Rounds of each size that set connections up, and take a hundred times as long."""
rounds: dict[int, int] = {}


def init_process_group(backend: str) -> None:
    """NCCL writes what it uses where it was told to, if it was told to say so."""
    assert backend == "nccl"
    subsystems = os.environ.get("NCCL_DEBUG_SUBSYS", "").split(",")
    said = os.environ.get("NCCL_DEBUG") == "INFO" and {"INIT", "NET"} <= set(subsystems)
    line = f"node-0:1:1 [0] NCCL INFO Using network {os.environ['FAKE_NETWORK']}\n"
    pathlib.Path(os.environ["NCCL_DEBUG_FILE"]).write_text(line if said else "", encoding="utf-8")


def all_reduce(data: SimpleNamespace) -> None:
    """Each rank sends and receives 2(n-1)/n of the data."""
    gbs = float(os.environ["FAKE_GBS"]) * data.bytes / int(os.environ["FAKE_LARGEST"])
    rounds[data.bytes] = rounds.get(data.bytes, 0) + 1
    slow = 100 if rounds[data.bytes] <= SLOW_START else 1
    clock["seconds"] += slow * data.bytes * 2 * (WORLD - 1) / WORLD / (gbs * 1e9)


def get_world_size() -> int:
    return WORLD


def get_rank() -> int:
    return int(os.environ["RANK"])


def destroy_process_group() -> None:
    clock.clear()
