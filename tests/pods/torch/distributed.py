"""Collectives for a pod without GPUs: NCCL's log, and the time that an all-reduce or an exchange takes.

`FAKE_SLOW` names what is slow: `node/rail`, or `node-node/rail` for the link between two.
"""

import os
import pathlib
from types import SimpleNamespace
from typing import Any

from torch import clock, device_count

SLOW_START = 5
"""Rounds of each size that set connections up, and take a hundred times as long."""
RAIL_GBS = 48.0
rounds: dict[int, int] = {}


def init_process_group(backend: str) -> None:
    """NCCL writes what it uses where it was told to, if it was told to say so."""
    assert backend == "nccl"
    subsystems = os.environ.get("NCCL_DEBUG_SUBSYS", "").split(",")
    said = os.environ.get("NCCL_DEBUG") == "INFO" and {"INIT", "NET"} <= set(subsystems)
    pathlib.Path(os.environ["NCCL_DEBUG_FILE"]).write_text(os.environ["FAKE_LOG"] if said else "", encoding="utf-8")


def all_reduce(data: SimpleNamespace) -> None:
    """Each rank sends and receives 2(n-1)/n of the data."""
    gbs = float(os.environ["FAKE_GBS"]) * data.bytes / int(os.environ["FAKE_LARGEST"])
    rounds[data.bytes] = rounds.get(data.bytes, 0) + 1
    slow = 100 if rounds[data.bytes] <= SLOW_START else 1
    world = get_world_size()
    clock["seconds"] += slow * data.bytes * 2 * (world - 1) / world / (gbs * 1e9)


def P2POp(way: Any, data: SimpleNamespace, peer: int) -> SimpleNamespace:
    return SimpleNamespace(way=way, bytes=data.bytes, peer=peer)


def isend() -> None: ...


def irecv() -> None: ...


def batch_isend_irecv(both: list[SimpleNamespace]) -> list[SimpleNamespace]:
    """A send and a receive with one peer, on the rail of both."""
    out, into = both
    assert (out.way, into.way) == (isend, irecv)
    assert out.peer == into.peer
    assert out.peer % device_count() == get_rank() % device_count(), "peers are of the same rail"
    clock["seconds"] += out.bytes / (_rail_gbs(get_rank() // device_count(), out.peer // device_count()) * 1e9)
    return [SimpleNamespace(wait=lambda: None)] * 2


def _rail_gbs(node: int, peer: int) -> float:
    rail = get_rank() % device_count()
    slow = os.environ.get("FAKE_SLOW", "").split()
    low, high = sorted((node, peer))
    return 12.0 if {f"{node}/{rail}", f"{peer}/{rail}", f"{low}-{high}/{rail}"} & set(slow) else RAIL_GBS


def all_gather_object(into: list[Any], mine: Any) -> None:
    """This rank's own is known; the others answer as the links between them would."""
    from components.verification.rails import (  # noqa: TID251 - as it is called there
        Measurement,
        partner,
        turns,
    )

    nodes = get_world_size() // device_count()
    for rank in range(get_world_size()):
        node, rail = divmod(rank, device_count())
        os.environ["RANK"], own = str(rank), os.environ["RANK"]
        seen = [
            Measurement(node, other, rail, _rail_gbs(node, other))
            for turn in range(turns(nodes))
            if (other := partner(node, turn, nodes)) is not None
        ]
        os.environ["RANK"] = own
        into[rank] = (node, f"gpu-{node}", seen, mine[3])
    node, _, measured, ways = mine
    assert [(one.peer, round(one.gbs, 6)) for one in measured] == [
        (one.peer, one.gbs) for one in into[get_rank()][2]
    ], "what was measured is not what the links carry"
    into[get_rank()] = (node, f"gpu-{node}", measured, ways)


def barrier() -> None: ...


def get_world_size() -> int:
    return int(os.environ.get("FAKE_NODES", "2")) * device_count()


def get_rank() -> int:
    return int(os.environ["RANK"])


def destroy_process_group() -> None:
    clock.clear()
