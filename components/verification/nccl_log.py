"""What NCCL says of itself at NCCL_DEBUG=INFO, and what is wrong with it. Runs in the verification pods: no imports.

Lines as NCCL 2.19 to 2.28 write them (NVIDIA/nccl src/transport/net_ib, src/transport/net.cc, src/graph):
`NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_3:1/RoCE [RO]; OOB eth0:10.0.0.1<0>`,
`Channel 00/0 : 8[0] -> 0[0] [receive] via NET/IB/0/GDRDMA`, `Channel 00 : 0[0] -> 1[1] via SHM/direct/direct`,
`Using network IB`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

NETWORK = re.compile(r"Using network ([^\n]+)")
ADAPTERS = re.compile(r"NET/IB : Using ([^\n]+)")
ADAPTER = re.compile(r"\[\d+\]([^\s:]+):\d+/")
CHANNEL = re.compile(r"\[(?:send|receive)\] via (NET/[^\n]+)")
HOST = re.compile(r"Channel [^\n]* via (SHM/[^\n]+)")
PORT_ERROR = re.compile(r"NET/IB : Got (?:completion|async event)[^\n]*")
SOCKET, DIRECT = "Socket", "GDRDMA"


@dataclass(frozen=True)
class Expected:
    """What the profile promises."""

    adapters: int = 0
    """HCAs that NCCL must use in each pod; 0: the fabric has none that it names."""
    direct: bool = False
    """Every channel over the network must read GPU memory without the host (GPUDirect RDMA, by dma-buf or peermem)."""


def networks(log: str) -> list[str]:
    """Networks that NCCL says it uses, such as IB, Libfabric, FasTrak, gIB or Socket."""
    return sorted({name.strip() for name in NETWORK.findall(log)})


def adapters(log: str) -> list[str]:
    """HCAs that it found and may use: those whose port is down are not among them."""
    return sorted({name for line in ADAPTERS.findall(log) for name in ADAPTER.findall(line)})


def ways(log: str) -> list[str]:
    """By which each channel leaves the node, in the log's order."""
    return [way.strip() for way in CHANNEL.findall(log)]


def indirect(log: str) -> list[str]:
    """Ways of channels over the network that go through the host's memory."""
    return sorted({way for way in ways(log) if DIRECT not in way.split("/")})


def through_the_host(log: str) -> Iterator[str]:
    """Of one node: channels between its GPUs that go through shared memory, where NVLink joins them."""
    if ways := sorted({way.strip() for way in HOST.findall(log)}):
        yield f"{', '.join(ways)}: GPUs of this node reach each other through the host's memory, not by NVLink"


def faults(log: str, expected: Expected) -> Iterator[str]:
    """What is wrong; several nodes, so a network must be named."""
    used = networks(log)
    if not used:
        yield "NCCL named no network: the log is incomplete"
        return
    if any(SOCKET in name for name in used):
        yield f"NCCL uses {', '.join(used)}: pods have no RDMA device, no verbs library or no IPC_LOCK"
        return
    found = adapters(log)
    if expected.adapters and len(found) != expected.adapters:
        yield f"NCCL uses {len(found)} HCAs ({', '.join(found) or 'none'}), {expected.adapters} must be: a port is down"
    if expected.direct and not ways(log):
        yield "NCCL named no channel over the network: whether it reads GPU memory directly is not known"
    if expected.direct and (slow := indirect(log)):
        yield f"{', '.join(slow)}: channels copy through the host's memory; no {DIRECT}"
    yield from sorted({error.strip() for error in PORT_ERROR.findall(log)})
