"""The last of the machines of public sources: other ways of cabling; see `machines.py` for what is ours in them."""

from tests.unit.inspect.machines import H100, dual, gpus, row
from tests.unit.inspect.more_machines import EIGHT, IB, rails, rest
from tests.unit.inspect.plant import Card, Machine

FOUR_RAILS = Machine(
    "H100 with four rails: NVIDIA/nccl#1591, #1737 (six NICs; the rows of GPUs 4 to 7 by symmetry); which card the two "
    "in the middle are is ours",
    H100,
    gpus(*EIGHT),
    (
        Card("0000:18:00.0", 0, "s0", "mlx5_0", "ibp24s0", link=IB),
        Card("0000:50:00.0", 0, "s2", "mlx5_1", "ibp80s0", link=IB),
        *dual("29", 0, "", ("mlx5_2", "mlx5_3", "ens8f0np0", "ens8f1np1"), device="101d", gbps=100, model="MT4125"),
        Card("0000:9a:00.0", 1, "s4", "mlx5_4", "ibp154s0", link=IB),
        Card("0000:cd:00.0", 1, "s6", "mlx5_5", "ibp205s0", link=IB),
    ),
    tuple(
        " ".join(
            "PIX" if gpu == own else "NODE" if gpu // 4 == socket else "SYS"
            for own, socket in ((0, 0), (2, 0), (-1, 0), (-1, 0), (4, 1), (6, 1))
        )
        for gpu in range(8)
    ),
    cpus="0-127",
)
LAG = Machine(
    "RoCE over bonds: NVIDIA/nccl#2150 (matrix), deepseek-ai/DeepEP#150 (names, 200 Gb/s); names of the bonds are ours",
    "NVIDIA H20",
    gpus(*EIGHT, each="s{}/0a"),
    tuple(
        card
        for i in range(8)
        for card in dual(
            f"{0x18 + 16 * i:02x}",
            i // 4,
            f"s{i}/0b",
            (f"mlx5_bond_{i}", "", f"ens{i}f0np0", f"ens{i}f1np1"),
            gbps=200,
            above=(f"bond{i}",),
        )
    ),
    tuple(" ".join(row(gpu, near="PXB")) for gpu in range(8)),
    route="bond9",
)
H20_VFS = Machine(
    "H20 with virtual functions: sgl-project/sglang#4572 (35 NICs, most on one switch); 32 functions are cut to four",
    "NVIDIA H20",
    gpus(*EIGHT),
    (
        *rails(0, 1, 2, 3, 4, 5, 6, 7),
        *(
            Card(f"0000:88:00.{i}", 1, "s7", f"mlx5_{7 + i}", f"eth{i}v", parent="0000:88:00.0", device="101e")
            for i in range(1, 5)
        ),
    ),
    tuple(" ".join([*row(gpu), *(["PIX"] * 4 if gpu == 7 else rest(gpu, 1, 1, 1, 1))]) for gpu in range(8)),
)
L40S = Machine(
    "L40S with one Ethernet and four InfiniBand ports: NVIDIA/NVSentinel@5550aa3c topology_test.go (OnPremL40S)",
    "NVIDIA L40S",
    (Card("0000:16:00.0", 0), Card("0000:38:00.0", 0)),
    (
        Card("0000:1a:00.0", 0, "", "mlx5_0", "eth0"),
        *(Card(f"0000:{n}a:00.0", 0, "", f"mlx5_{n - 1}", f"ib{n - 2}", link=IB) for n in range(2, 6)),
    ),
    ("NODE NODE NODE NODE NODE",) * 2,
    route="eth0",
    numa=((0, "0-63", 512),),
    cpus="0-63",
)
OCI_A100 = Machine(
    "A100 with sixteen ports and two more: vllm-project/vllm#21344, NVIDIA/nccl#2157 (NUMA nodes 3, 1, 7, 5)",
    "NVIDIA A100-SXM4-80GB",
    tuple(Card(f"0000:{0x10 + i:02x}:00.0", (3, 1, 7, 5)[i // 2], f"s{i // 2}/0a") for i in range(8)),
    (
        Card("0000:05:00.0", 0, "", "mlx5_0", "eth0", gbps=50, device="101d", model="MT4125"),
        *(
            card
            for i in range(8)
            for card in dual(
                f"{0x40 + i:02x}",
                (1, 3, 5, 7)[i // 2],
                f"s{(1, 0, 3, 2)[i // 2]}/0b",
                (f"mlx5_{2 * i + 1}", f"mlx5_{2 * i + 2}", f"rdma{2 * i}", f"rdma{2 * i + 1}"),
                gbps=100,
                device="1019",
            )
        ),
        Card("0000:f5:00.0", 4, "", "mlx5_17", "eth1", gbps=50, device="101d", model="MT4125"),
    ),
    tuple(
        " ".join(["SYS", *("PXB" if (1, 0, 3, 2)[nic // 4] == gpu // 2 else "SYS" for nic in range(16)), "SYS"])
        for gpu in range(8)
    ),
    numa=tuple((n, f"{16 * n}-{16 * n + 15},{16 * n + 128}-{16 * n + 143}", 256) for n in range(8)),
    cpus="0-255",
    route="eth0",
)
IN_PAIRS = Machine(
    "Two GPUs and two NICs on a switch: vllm-project/vllm#22372, all rows",
    "NVIDIA B200",
    tuple(Card(address, i // 4, f"s{i // 2}") for i, address in enumerate(EIGHT)),
    tuple(Card(f"0000:{0x18 + 16 * i:02x}:00.0", i // 4, f"s{i // 2}", f"mlx5_{i}", f"eth{i + 1}") for i in range(8)),
    tuple(
        " ".join("PIX" if nic // 2 == gpu // 2 else "NODE" if nic // 4 == gpu // 4 else "SYS" for nic in range(8))
        for gpu in range(8)
    ),
)
HALF_DOWN = Machine(
    "H100 with eight single-port cards, four of them cabled: deepseek-ai/DeepEP#38, #60; six further NICs are left out",
    H100,
    gpus(*EIGHT),
    tuple(
        Card(
            f"0000:{0x18 + 16 * i:02x}:00.0",
            i // 4,
            f"s{i}",
            f"mlx5_{number}",
            f"ib{i}",
            link=IB,
            up=number in (1, 7, 9, 13),
            firmware="28.39.2048",
        )
        for i, number in enumerate((0, 1, 2, 7, 8, 9, 12, 13))
    ),
    tuple(" ".join(row(gpu)) for gpu in range(8)),
)
