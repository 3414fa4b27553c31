"""An all-reduce over every GPU of a job: run by torchrun in the verification pods, one process per GPU.

It is handed to the pods as text with what it imports (`nccl.py` bundles it), and needs PyTorch only there. First every
GPU exchanges data with its peer on other nodes, which names a slow rail; then all reduce together. Bus bandwidth is
counted as nccl-tests does: bytes / time x 2(n-1)/n. Exits 1 if NCCL's own log shows a fall-back, a missing HCA or a
copy through the host, if a rail stands out, or if the floor is not reached at the largest size.
"""

import argparse
import os
import pathlib
import sys
from importlib import import_module
from types import ModuleType

from bedplate.components.verification.nccl_log import (
    Expected,
    adapters,
    faults,
    networks,
    over_switches,
    through_the_host,
    without_nvls,
    without_sharp,
)
from bedplate.components.verification.rails import Measurement, measure, suspects

SMALLEST = 64 * 2**20
"""Below it latency decides, not bandwidth."""
EXCHANGE = 256 * 2**20
WARM_UP, ROUNDS = 5, 20


def bus_bandwidth(size: int, seconds: float, ranks: int) -> float:
    """GB/s that each rank's links carry."""
    return size / seconds * 2 * (ranks - 1) / ranks / 1e9


def name() -> str:
    """Of the node under this rank."""
    return os.environ.get("NODE_NAME") or os.uname().nodename


def all_reduce(torch: ModuleType, dist: ModuleType, largest: int) -> float:
    """Bus bandwidth at the largest size; sizes double up to it."""
    size, reached = min(SMALLEST, largest), 0.0
    while size <= largest:
        data = torch.ones(size // 4, dtype=torch.float32, device="cuda")
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        for turn in range(WARM_UP + ROUNDS):
            if turn == WARM_UP:
                start.record()
            dist.all_reduce(data)
        end.record()
        torch.cuda.synchronize()
        reached = bus_bandwidth(size, start.elapsed_time(end) / 1000 / ROUNDS, dist.get_world_size())
        if dist.get_rank() == 0:
            sys.stdout.write(f"{size:>12} B  {reached:7.1f} GB/s\n")
        del data
        size *= 2
    return reached


def run(largest: int, local: int, log: pathlib.Path) -> tuple[int, float, list[str], list[str]]:
    """Rank, bus bandwidth, the rails that stand out, and what switches reduce over; all ranks learn the same."""
    torch = import_module("torch")  # in the pods only
    dist = import_module("torch.distributed")
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    mine = measure(torch, dist, min(EXCHANGE, largest))
    reached = all_reduce(torch, dist, largest)
    seen: list[tuple[int, str, list[Measurement], list[str]] | None] = [None] * dist.get_world_size()
    dist.all_gather_object(seen, (rank // torch.cuda.device_count(), name(), mine, over_switches(log.read_text())))
    dist.destroy_process_group()
    whole = [one for one in seen if one is not None]
    names = {node: called for node, called, _, _ in whole}
    ways = sorted({way for *_, ways in whole for way in ways})
    return rank, reached, list(suspects((one for _, _, some, _ in whole for one in some), names)), ways


def expected(options: argparse.Namespace) -> Expected:
    """What the profile promises."""
    return Expected(options.adapters, options.direct, options.nvls)


def _inside(log: str, options: argparse.Namespace) -> list[str]:
    return [*through_the_host(log), *(without_nvls(log) if options.nvls else ())]


def main() -> int:
    """Measure, read NCCL's own log, and say by the exit status whether the fabric is sound."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--floor", type=float, required=True, help="GB/s")
    parser.add_argument("--largest", type=int, required=True, help="bytes")
    parser.add_argument("--adapters", type=int, default=0, help="HCAs that NCCL must use; 0: any")
    parser.add_argument("--direct", action="store_true", help="no channel may copy through the host")
    parser.add_argument("--nvls", action="store_true", help="NVLink switches must reduce")
    parser.add_argument("--sharp", action="store_true", help="switches of the network must reduce")
    parser.add_argument("--inside", action="store_true", help="one node: NVLink alone, whatever network there is")
    options = parser.parse_args()
    local = int(os.environ["LOCAL_RANK"])
    log = pathlib.Path(f"/tmp/nccl-{local}.log")  # noqa: S108 - the pod's own
    # Before NCCL starts: INFO, because WARN hides which network is used.
    os.environ.update({"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT,NET", "NCCL_DEBUG_FILE": str(log)})
    rank, reached, rails, ways = run(options.largest, local, log)
    text = log.read_text()
    wrong = list(_inside(text, options) if options.inside else faults(text, expected(options)))
    if reached < options.floor:
        wrong.append(f"{reached:.0f} GB/s at the largest size is below {options.floor:.0f} GB/s")
    if rank == 0:
        wrong += [*rails, *(without_sharp(ways, direct=options.direct) if options.sharp else ())]
        used = f"network {', '.join(networks(text)) or 'unknown'} over {len(adapters(text))} HCAs"
        floor = f"floor {options.floor:.0f} GB/s" if options.floor else "no published floor"
        sys.stdout.write(f"{used}, {reached:.1f} GB/s, {floor}\n")
    sys.stderr.writelines(f"rank {rank} on {name()}: {fault}\n" for fault in wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
