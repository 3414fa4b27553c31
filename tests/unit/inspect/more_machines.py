"""Further machines of public sources, most of them of a matrix alone; see `machines.py` for what is ours in them."""

from dataclasses import replace
from typing import Any

from tests.unit.inspect.machines import BLUEFIELD, H100, bus, dual, gpus, row
from tests.unit.inspect.plant import Card, Machine

EIGHT = bus("1b", "43", "52", "61", "9d", "c3", "d1", "df")
IB = "InfiniBand"


def rails(*numbers: int, names: str = "mlx5_{}", **more: Any) -> tuple[Card, ...]:
    """Single-port cards on the switches of eight GPUs, by the numbers of their RDMA devices."""
    return tuple(
        Card(f"0000:{0x18 + 16 * i:02x}:00.0", i // 4, f"s{i}", names.format(number), f"ib{i}", **more)
        for i, number in enumerate(numbers)
    )


def rest(gpu: int, *near: int) -> list[str]:
    """Levels to further NICs, by the socket of each."""
    return ["NODE" if socket == gpu // 4 else "SYS" for socket in near]


DGX_H100 = Machine(
    "DGX H100: vllm-project/vllm#6746 (matrix, cut after GPU7); DGX H100 User Guide, table 6 (names of the rails); "
    "names and links of the storage cards' ports are ours",
    H100,
    gpus(*EIGHT, each="s{}/0a"),
    (
        *(
            Card(f"0000:{number:02x}:00.0", i // 4, f"s{i}/0b", f"mlx5_{device}", f"ibp{number}s0", link=IB)
            for i, (number, device) in enumerate(
                zip((24, 64, 79, 94, 154, 192, 206, 220), (0, 3, 4, 5, 6, 9, 10, 11), strict=True)
            )
        ),
        *dual("29", 0, "", ("mlx5_1", "mlx5_2", "ibp41s0f0", "enp41s0f1np1"), link=IB),
        *dual("aa", 1, "", ("mlx5_7", "mlx5_8", "ibp170s0f0", "enp170s0f1np1"), link=IB),
    ),
    tuple(" ".join([*row(gpu, near="PXB"), *rest(gpu, 0, 0, 1, 1)]) for gpu in range(8)),
)
IMBUE = Machine(
    "H100 with two ConnectX-6 on GPUs' switches: imbue-ai/cluster-health#4 (`ibdev2netdev`); rows are ours",
    H100,
    gpus(*bus("19", "3b", "4c", "5d", "9b", "bb", "cb", "db")),
    (
        *(
            Card(f"0000:{number:02x}:00.0", i // 4, f"s{i}", f"mlx5_{device}", f"ibp{number}s0", link=IB)
            for i, (number, device) in enumerate(
                zip((26, 60, 77, 94, 156, 188, 204, 220), (0, 3, 4, 5, 6, 9, 10, 11), strict=True)
            )
        ),
        *dual(
            "1b", 0, "s0", ("mlx5_1", "mlx5_2", "enp27s0f0np0", "enp27s0f1np1"), device="101d", gbps=100, model="MT4125"
        ),
        *dual(
            "9d",
            1,
            "s4",
            ("mlx5_7", "mlx5_8", "enp157s0f0np0", "enp157s0f1np1"),
            device="101d",
            gbps=100,
            model="MT4125",
        ),
    ),
    tuple(
        " ".join(
            [
                *row(gpu),
                *(["PIX"] * 2 if gpu == 0 else rest(gpu, 0, 0)),
                *(["PIX"] * 2 if gpu == 4 else rest(gpu, 1, 1)),
            ]
        )
        for gpu in range(8)
    ),
    route="bond0",
)
B200 = Machine(
    "B200, eight rails and two cards of two ports: vllm-project/vllm#16336, of which GPU 2 has no NVLink",
    "NVIDIA B200",
    gpus(*EIGHT, each="s{}/0a"),
    (
        *rails(*range(8), link=IB),
        *dual("29", 0, "", ("mlx5_8", "mlx5_9", "ens8f0np0", "ens8f1np1"), **BLUEFIELD),
        *dual("aa", 1, "", ("mlx5_10", "mlx5_11", "ens9f0np0", "ens9f1np1"), **BLUEFIELD),
    ),
    tuple(" ".join([*row(gpu, near="PXB"), *rest(gpu, 0, 0, 1, 1)]) for gpu in range(8)),
)
B200_BROKEN = replace(B200, apart=2)
DGX_2 = Machine(
    "DGX-2: NVIDIA/nccl-tests#78, whose matrix names devices in its head; GPUs 8 to 15 by symmetry",
    "Tesla V100-SXM3-32GB",
    tuple(Card(f"0000:{0x30 + 8 * i:02x}:00.0", i // 8, f"s{i // 4}/{i // 2:02x}") for i in range(16)),
    (
        *(
            Card(
                f"0000:{0x31 + 16 * i:02x}:00.0",
                i // 4,
                f"s{i // 2}/{i:02x}",
                f"mlx5_{i + 2 * (i > 3)}",
                f"ib{i}",
                link=IB,
                gbps=100,
                device="1017",
                model="MT4119",
            )
            for i in range(4)
        ),
        *dual("c0", 1, "", ("mlx5_4", "mlx5_5", "ib8", "ib9"), link=IB, gbps=100, device="1017", model="MT4119"),
        *(
            Card(
                f"0000:{0x31 + 16 * i:02x}:00.0",
                i // 4,
                f"s{i // 2}/{i:02x}",
                f"mlx5_{i + 2}",
                f"ib{i}",
                link=IB,
                gbps=100,
                device="1017",
                model="MT4119",
            )
            for i in range(4, 8)
        ),
    ),
    tuple(
        " ".join(
            ("PIX" if nic == gpu // 2 else "PXB" if nic // 2 == gpu // 4 else "NODE" if nic // 4 == gpu // 8 else "SYS")
            if nic < 8
            else "SYS"
            for nic in (0, 1, 2, 3, 8, 9, 4, 5, 6, 7)
        )
        for gpu in range(16)
    ),
    old_head=True,
    numa=((0, "0-23,48-71", 750), (1, "24-47,72-95", 750)),
    cpus="0-95",
)
