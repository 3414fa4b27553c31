"""What a step sends, against what the fabric carries; ports, cables and addresses of a fabric of rails."""

from dataclasses import dataclass
from math import ceil

from bedplate.sizing.memory import GRADIENT, WEIGHT
from bedplate.sizing.place import Place
from bedplate.sizing.spread import FULL_SHARD, Spread

RING = "ring: 2·S·(n-1)/n a rank (NVIDIA/nccl-tests doc/PERFORMANCE.md)"
LEAF_PORTS = 64
"""400G ports of a QM9700 or a 51.2T Ethernet switch (NVIDIA data sheets)."""


@dataclass(frozen=True)
class Traffic:
    """What each GPU sends to other nodes in a step, GB, and how long that takes alone."""

    sent: float
    seconds: float


def gradients(shards: list[tuple[float, int]], spread: Spread, place: Place, accumulate: int) -> Traffic | None:
    """The collectives of a step for each part of a GPU's parameters (10⁹) and the ranks that share it.

    None without a network to cross. ZeRO-3 gathers the parameters twice and scatters the gradients with each
    microbatch; the other stages reduce once a step.
    """
    if spread.replicas == 1 or place.nodes == 1 or not place.gpu_network:
        return None
    crossing = sum(billions * (ranks - 1) / ranks for billions, ranks in shards)
    traffic = (2 * WEIGHT + GRADIENT) * accumulate if spread.stage == FULL_SHARD else 2 * GRADIENT
    return Traffic(traffic * crossing, traffic * crossing / place.gpu_network)


@dataclass(frozen=True)
class Leaves:
    """The leaf layer of rails: NIC i of every node goes to rail i."""

    downlinks: int
    """Ports that nodes take."""
    uplinks: int
    """Ports towards the spine; none where one switch holds every port."""
    switches: int


def leaves(place: Place, oversubscription: float = 1.0) -> Leaves:
    """Fewest leaf switches at downlinks ÷ uplinks ≤ oversubscription."""
    down = place.nodes * place.nics
    if down <= LEAF_PORTS:
        return Leaves(down, 0, 1 if down else 0)
    ports = int(LEAF_PORTS * oversubscription / (1 + oversubscription))
    return Leaves(down, ceil(down / oversubscription), ceil(down / ports))


def addresses(place: Place, block: int) -> tuple[int, int]:
    """Addresses that the rails hand out in all, and the prefix length that holds one rail's (network and .1 kept)."""
    rail = place.nodes * block
    return rail * place.nics, 32 - (rail + 2 - 1).bit_length()
