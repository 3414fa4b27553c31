"""Machines of public sources: addresses, names, distances and links of each, in our own form.

What no source says is ours: addresses of bridges, firmware where none is named, memory, the card without RDMA (`eno1`)
that has the default route, and in rows of a matrix that a source cuts off what the other socket's say by symmetry.
"""

from dataclasses import replace
from typing import Any

from tests.unit.inspect.plant import Card, Machine

H200 = "NVIDIA H200"
H100 = "NVIDIA H100 80GB HBM3"
DEVICE, MODEL = "a2dc", "MT41692"
"""Of BlueField-3."""
BLUEFIELD: dict[str, Any] = {"device": DEVICE, "model": MODEL}


def row(gpu: int, far: str = "NODE", near: str = "PIX") -> list[str]:
    """Levels of a GPU to eight NICs, of which it has its own."""
    return [near if nic == gpu else far if nic // 4 == gpu // 4 else "SYS" for nic in range(8)]


def gpus(*addresses: str, each: str = "s{}", sockets: int = 2) -> tuple[Card, ...]:
    """A GPU each, on a switch of its own."""
    half = max(len(addresses) // sockets, 1)
    return tuple(Card(address, i // half, switch=each.format(i) if each else "") for i, address in enumerate(addresses))


def bus(*numbers: str) -> tuple[str, ...]:
    """PCI addresses of the first domain."""
    return tuple(f"0000:{number}:00.0" for number in numbers)


def preset(buses: str, names: str, numbers: str) -> tuple[Card, ...]:
    """BlueField-3 SuperNICs as the launch kit's presets list them."""
    each = zip(bus(*buses.split()), names.split(), numbers.split(), strict=True)
    return tuple(
        Card(address, i // 4, f"s{i}", f"rocep{number}s0f0", name, **BLUEFIELD)
        for i, (address, name, number) in enumerate(each)
    )


def dual(bus_number: str, numa: int, switch: str, names: tuple[str, str, str, str], **more: Any) -> tuple[Card, ...]:
    """Both functions of a card; a name that is empty is not there."""
    first, second, one, other = names
    return (
        Card(f"0000:{bus_number}:00.0", numa, switch, first, one, **more),
        Card(f"0000:{bus_number}:00.1", numa, switch, second, other, **more),
    )


XE9680 = Machine(
    "PowerEdge XE9680: NVIDIA/k8s-launch-kit@aa1fef72 presets/PowerEdge-XE9680/topology.yaml; GPUs' addresses are ours",
    H200,
    gpus(*bus("19", "3b", "4c", "5d", "9b", "bb", "cb", "db")),
    (
        *preset("1a 3c 4d 5e 9c bc cc dc", "eth2 eth3 eth4 eth5 eth6 eth9 eth10 eth11", "26 60 77 94 156 188 204 220"),
        *dual("9d", 1, "s4", ("rocep157s0f0", "", "eth7", "eth8"), gbps=200, **BLUEFIELD),
    ),
    tuple(" ".join([*row(gpu), "PIX" if gpu == 4 else "NODE" if gpu > 4 else "SYS"]) for gpu in range(8)),
)
SR680A = Machine(
    "ThinkSystem SR680a V3: NVIDIA/k8s-launch-kit@aa1fef72 presets/ThinkSystem-SR680a-V3/topology.yaml; GPUs' are ours",
    H200,
    gpus(*bus("1a", "2b", "3c", "4d", "9c", "ac", "c2", "cc")),
    (
        *preset("19 2a 3b 4c 9b ab c1 cb", "eth0 eth1 eth2 eth3 eth6 eth7 eth8 eth9", "25 42 59 76 155 171 193 203"),
        *dual("5a", 0, "", ("rocep90s0f0", "rocep90s0f1", "eth4", "eth5"), device="101f", gbps=25, model="MT4127"),
        *dual("d8", 1, "", ("rocep216s0f0", "", "eth10", "eth11"), above=("bond0",), **BLUEFIELD),
    ),
    tuple(" ".join([*row(gpu), *(["NODE", "NODE", "SYS"] if gpu < 4 else ["SYS", "SYS", "NODE"])]) for gpu in range(8)),
    route="bond0",
)
UCSC = Machine(
    "UCSC-885A-M8: NVIDIA/k8s-launch-kit@aa1fef72 presets/UCSC-885A-M8-H22/topology.yaml; GPUs' addresses are ours",
    H200,
    gpus(*bus("0a", "24", "54", "6a", "90", "9d", "ce", "f2")),
    (
        *preset("09 23 53 69 8f 9c cd f1", "eth3 eth7 eth4 eth2 eth9 eth11 eth10 eth8", "9 35 83 105 143 156 205 241"),
        *dual("35", 0, "", ("rocep53s0f0", "", "eth5", "eth6"), **BLUEFIELD),
    ),
    tuple(" ".join([*row(gpu), "NODE" if gpu < 4 else "SYS"]) for gpu in range(8)),
    cpus="0-255",
)
SR675 = Machine(
    "ThinkSystem SR675 V3: NVIDIA/k8s-launch-kit@7e9cc565 presets/ThinkSystem-SR675-V3-RTX-PRO-6000/topology.yaml, "
    "which has no nvidia-smi either; GPUs' addresses are ours, links by the interfaces' names",
    "NVIDIA RTX PRO 6000 Blackwell Server Edition",
    tuple(
        Card(f"0000:{number}:00.0", i // 4, switch)
        for i, (number, switch) in enumerate(
            zip(("03", "04", "66", "67", "86", "87", "e6", "e7"), ("a", "a", "b", "b", "c", "c", "d", "d"), strict=True)
        )
    ),
    (
        *dual("21", 0, "", ("mlx5_2", "mlx5_3", "ens15f0np0", "ens15f1np1"), gbps=200),
        *dual("41", 0, "", ("mlx5_0", "mlx5_1", "ens27f0np0", "ens27f1np1"), device="101f", gbps=25, model="MT4127"),
        *dual("65", 0, "b", ("mlx5_6", "mlx5_7", "ibs16f0", "ibs16f1"), gbps=200, link="InfiniBand"),
        *dual("85", 1, "c", ("mlx5_10", "mlx5_11", "ens2f0np0", "ens2f1np1"), gbps=200, **BLUEFIELD),
        *dual("c1", 1, "", ("mlx5_8", "mlx5_9", "ibs20f0", "ibs20f1"), gbps=200, link="InfiniBand"),
        *dual("e5", 1, "d", ("mlx5_4", "mlx5_5", "ibs21f0", "ibs21f1"), gbps=200, link="InfiniBand"),
    ),
)
SPARK = Machine(
    "NVIDIA DGX Spark: NVIDIA/k8s-launch-kit@f6bc6c88 pkg/presets/data/NVIDIA-DGX-Spark-NVIDIA-GB10/topology.yaml",
    "NVIDIA GB10",
    (Card("000f:01:00.0", 0),),
    tuple(
        Card(
            f"000{domain}:01:00.{port}", -1, "", f"roce{word}1s0f{port}", f"en{word}1s0f{port}np{port}", vfs=4, gbps=200
        )
        for domain, word in ((0, "p"), (2, "P2p"))
        for port in (0, 1)
    ),
    ("NODE NODE NODE NODE",),
    cpus="0-19",
    numa=((0, "0-19", 120),),
)
SPARK_ONE_CABLE = Machine(
    "NVIDIA DGX Spark: eugr/spark-vllm-docker docs/NETWORKING.md: one cable, both devices of the other port are down",
    SPARK.product,
    SPARK.gpus,
    tuple(replace(card, up=card.address.endswith(".1")) for card in SPARK.nics),
    SPARK.rows,
    cpus=SPARK.cpus,
    numa=SPARK.numa,
)
GB200 = Machine(
    "GB200 NVL tray: NVIDIA/NVSentinel@5550aa3c pkg/topology/topology_test.go (GB200BlueFieldDPUExcluded); "
    "docs.nvidia.com Mission Control 2.3, external north-south network of GB200",
    "NVIDIA GB200",
    tuple(
        Card(address, i // 2)
        for i, address in enumerate(("0008:01:00.0", "0009:01:00.0", "0018:01:00.0", "0019:01:00.0"))
    ),
    (
        Card("0000:03:00.0", 0, "", "ibp3s0", "ibp3s0", link="InfiniBand"),
        Card("0002:03:00.0", 0, "", "ibP2p3s0", "ibP2p3s0", link="InfiniBand"),
        Card("0010:03:00.0", 1, "", "ibP16p3s0", "ibP16p3s0", link="InfiniBand"),
        Card("0012:03:00.0", 1, "", "ibP18p3s0", "ibP18p3s0", link="InfiniBand"),
        Card("0006:03:00.0", 0, "", "roceP6p3s0", "enP6p3s0f0np0", gbps=200, **BLUEFIELD),
        Card("0006:03:00.1", 0, "", "", "enP6p3s0f1np1", gbps=200, **BLUEFIELD),
        Card("0016:03:00.0", 1, "", "roceP22p3s0", "enP22p3s0f0np0", gbps=200, **BLUEFIELD),
        Card("0016:03:00.1", 1, "", "", "enP22p3s0f1np1", gbps=200, **BLUEFIELD),
    ),
    ("SYS SYS SYS SYS SYS SYS",) * 4,
    cpus="0-143",
    numa=((0, "0-71", 480), (1, "72-143", 480), (2, "", 184), (10, "", 184), (18, "", 184), (26, "", 184)),
)
