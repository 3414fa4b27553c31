"""An all-reduce over every GPU of a job: run by torchrun in the verification pods, one process per GPU.

Stands alone: it is handed to the pods as text, and needs PyTorch only there. Bus bandwidth is counted as nccl-tests
does: bytes / time x 2(n-1)/n. Exits 1 if NCCL fell back to sockets, or stays below the floor at the largest size.
"""

import argparse
import os
import pathlib
import re
import sys
from importlib import import_module
from typing import Any

TRANSPORT = re.compile(r"Using network ([^\n]+)")
SOCKET = "Socket"
SMALLEST = 64 * 2**20
"""Below it latency decides, not bandwidth."""
WARM_UP, ROUNDS = 5, 20


def bus_bandwidth(size: int, seconds: float, ranks: int) -> float:
    """GB/s that each rank's links carry."""
    return size / seconds * 2 * (ranks - 1) / ranks / 1e9


def transports(log: str) -> list[str]:
    """Networks that NCCL says it uses, such as IB, Libfabric, FasTrak, gIB or Socket."""
    return sorted({name.strip() for name in TRANSPORT.findall(log)})


def faults(used: list[str], reached: float, floor: float) -> list[str]:
    """What is wrong; several nodes, so a transport must be named."""
    found: list[str] = []
    if not used:
        found.append("NCCL named no network: the log is incomplete")
    if any(SOCKET in name for name in used):
        found.append(f"NCCL uses {', '.join(used)}: pods have no RDMA device, no verbs library or no IPC_LOCK")
    if reached < floor:
        found.append(f"{reached:.0f} GB/s at the largest size is below {floor:.0f} GB/s")
    return found


def measure(largest: int) -> tuple[float, int]:
    """Bus bandwidth at the largest size, and the rank; sizes double up to it."""
    torch: Any = import_module("torch")  # in the pods only
    dist: Any = import_module("torch.distributed")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
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
    rank = dist.get_rank()
    dist.destroy_process_group()
    return reached, rank


def main() -> int:
    """Measure, read NCCL's own log, and say by the exit status whether the fabric is sound."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--floor", type=float, required=True, help="GB/s")
    parser.add_argument("--largest", type=int, required=True, help="bytes")
    options = parser.parse_args()
    log = pathlib.Path(f"/tmp/nccl-{os.environ['LOCAL_RANK']}.log")  # noqa: S108 - the pod's own
    # Before NCCL starts: INFO, because WARN hides which network is used.
    os.environ.update({"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT,NET", "NCCL_DEBUG_FILE": str(log)})
    reached, rank = measure(options.largest)
    used = transports(log.read_text())
    wrong = faults(used, reached, options.floor)
    if rank == 0:
        sys.stdout.write(
            f"network {', '.join(used) or 'unknown'}, {reached:.1f} GB/s, floor {options.floor:.0f} GB/s\n"
        )
    sys.stderr.writelines(f"rank {rank}: {fault}\n" for fault in wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
