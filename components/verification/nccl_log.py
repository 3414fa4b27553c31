"""What NCCL says of itself at NCCL_DEBUG=INFO, and what is wrong with it. Runs in the verification pods: no imports.

Lines as NCCL 2.19 to 2.28 write them (NVIDIA/nccl src/transport/net_ib, src/transport/net.cc, src/graph):
`NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_3:1/RoCE [RO]; OOB eth0:10.0.0.1<0>`,
`Channel 00/0 : 8[0] -> 0[0] [receive] via NET/IB/0/GDRDMA`, `Channel 00 : 0[0] -> 1[1] via SHM/direct/direct`,
`Using network IB`; `NVLS multicast support is available on dev 0 (NVLS_NCHANNELS 16)` (src/transport/nvls.cc), at the
end `24 coll channels, 24 collnet channels, 16 nvls channels, …` (src/init.cc), and where switches reduce
`CollNet 00/0 : 0 [send] via COLLNET/SHARP/0/GDRDMA` (src/transport/coll_net.cc), in the pods at a switch's end alone.
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
NVLS = re.compile(r"NVLS multicast support is (not )?available")
NVLS_CHANNELS = re.compile(r"\b(\d+) nvls channels")
SWITCHES = re.compile(r"\[(?:send|receive)\] via (COLLNET/[^\n]+)")
SOCKET, DIRECT = "Socket", "GDRDMA"


@dataclass(frozen=True)
class Expected:
    """What the profile promises."""

    adapters: int = 0
    """HCAs that NCCL must use in each pod; 0: the fabric has none that it names."""
    direct: bool = False
    """Every channel over the network must read GPU memory without the host (GPUDirect RDMA, by dma-buf or peermem)."""
    nvls: bool = False
    """NVLink switches must reduce within the node."""


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


def over_switches(log: str) -> list[str]:
    """By which channels the network's switches reduce; empty in pods that are at no switch's end."""
    return sorted({way.strip() for way in SWITCHES.findall(log)})


def without_nvls(log: str) -> Iterator[str]:
    """Why the NVLink switches of this node do not reduce, if they do not."""
    said, channels = NVLS.findall(log), NVLS_CHANNELS.findall(log)
    if not said:
        yield "NCCL says nothing of NVLS, which the profile declares: it is older than 2.17, or has one GPU here"
    elif any(said):
        yield "NVLS multicast support is not available, which the profile declares: no fabric manager, or an old driver"
    elif channels and int(channels[-1]) == 0:
        yield "0 nvls channels: NVLS, which the profile declares, is available and not used"


def without_sharp(ways: list[str], *, direct: bool) -> Iterator[str]:
    """Why the network's switches do not reduce as the profile declares; of the ways of all pods together."""
    if not ways:
        yield "no channel over COLLNET: switches do not reduce (SHARP): no plug-in, or no aggregation manager"
    if direct and (slow := [way for way in ways if DIRECT not in way.split("/")]):
        yield f"{', '.join(slow)}: channels copy through the host's memory; no {DIRECT}"


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
    if expected.nvls:
        yield from without_nvls(log)
