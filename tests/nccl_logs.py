"""NCCL's log as its versions write it, sound and broken: composed from the formats in NVIDIA/nccl's source."""

from collections.abc import Sequence

HCAS = tuple(f"mlx5_{number}" for number in range(8))


def using(hcas: Sequence[str] = HCAS, link: str = "IB", tail: str = " [RO]; OOB eth0:10.0.0.1<0>") -> str:
    found = " ".join(f"[{place}]{name}:1/{link}" for place, name in enumerate(hcas))
    return line(f"NET/IB : Using {found}{tail}")


def line(text: str, node: str = "node-0") -> str:
    return f"{node}:1:23 [0] NCCL INFO {text}\n"


def channel(number: int, way: str, what: str = "receive") -> str:
    return line(f"Channel {number:02}/0 : 8[0] -> 0[0] [{what}] via {way}")


def channels(way: str = "NET/IB/{}/GDRDMA") -> str:
    return "".join(channel(n, way.format(n), what) for n in range(8) for what in ("receive", "send"))


IB = line("Using network IB")
NVLS = line("NVLS multicast support is available on dev 0 (NVLS_NCHANNELS 16)") + line(
    "24 coll channels, 24 collnet channels, 16 nvls channels, 32 p2p channels, 2 p2p channels per peer"
)
"""As 2.28 ends its setting up; 2.19 to 2.24 without the number of channels, from 2.29 with `transport enabled` behind."""
SHARP = line("CollNet 00/0 : 0 [send] via COLLNET/SHARP/0/GDRDMA") + line(
    "CollNet 00/0 : 0 [receive] via COLLNET/SHARP/0/GDRDMA"
)
SOUND = using() + IB + channels()
LOGS: dict[str, tuple[str, list[str]]] = {
    "sound, InfiniBand": (SOUND, []),
    "sound, RoCE": (using(link="RoCE") + IB + channels(), []),
    "sound, 2.19 without OOB": (using(tail="") + IB + channels(), []),
    "sound, the banner of 2.27": (using() + line("Initialized NET plugin IB") + IB + channels(), []),
    "sound, shared buffers": (using() + IB + channels("NET/IB/{}/GDRDMA/Shared"), []),
    "sound, through PXN": (using() + IB + channels("NET/IB/{}(3)/GDRDMA"), []),
    "sound, NVLS beside": (SOUND + line("NVLS multicast support is available on dev 0"), []),
    "sound, inside the node P2P": (SOUND + channel(0, "P2P/CUMEM").replace(" -> 0[0]", " -> 9[1]"), []),
    "sound, a merged adapter": (using() + using() + IB + channels(), []),
    "no verbs library": (line("Failed to open libibverbs.so[.1]") + line("Using network Socket"), ["Socket"]),
    "no device": (line("NET/IB : No device found.") + line("Using network Socket"), ["Socket"]),
    "a plugin and sockets": (line("Using network Socket, AWS Libfabric"), ["Socket"]),
    "empty": ("", ["named no network"]),
    "truncated before the network": (using(), ["named no network"]),
    "truncated inside a line": (SOUND[: len(using()) + 20], ["named no network"]),
    "hung while it connected": (using() + IB, ["named no channel"]),
    "another program's log": ("epoch 1 loss 2.7\nUsing networked storage\n", ["named no network"]),
    "one port down": (using(HCAS[:7]) + IB + channels(), ["uses 7 HCAs"]),
    "half of the rails": (using(HCAS[::2]) + IB + channels(), ["uses 4 HCAs"]),
    "the storage HCA too": (using((*HCAS, "mlx5_8")) + IB + channels(), ["uses 9 HCAs"]),
    "no adapter line": (IB + channels(), ["uses 0 HCAs (none)"]),
    "no GPUDirect": (using() + IB + channels("NET/IB/{}"), ["copy through the host's memory"]),
    "GPUDirect on some": (
        using() + IB + channels() + channel(9, "NET/IB/3"),
        ["NET/IB/3: channels copy through the host's memory"],
    ),
    "shared buffers without GPUDirect": (using() + IB + channels("NET/IB/{}/Shared"), ["copy through the host"]),
    "an error of a port": (
        SOUND + line("NET/IB : Got completion from peer 10.0.0.2 with status=12 opcode=0 len=0 vendor err 129"),
        ["Got completion from peer 10.0.0.2 with status=12"],
    ),
    "a port that went away": (
        SOUND + line("NET/IB : Got async event : port error on mlx5_3:1"),
        ["Got async event : port error"],
    ),
    "down and indirect": (
        using(HCAS[:6]) + IB + channels("NET/IB/{}"),
        ["uses 6 HCAs", "copy through the host's memory"],
    ),
    "two nodes' logs in one": (SOUND + SOUND.replace("node-0", "node-1"), []),
    "carriage returns": (SOUND.replace("\n", "\r\n"), []),
}
"""Name to the log and the beginnings, or parts, of what must be said of it on eight rails with GPUDirect RDMA."""
