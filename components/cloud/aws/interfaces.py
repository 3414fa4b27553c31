"""Which network interfaces an EFA node has, card by card: pure, from the shape's facts.

The first interface carries IP as well, the others RDMA alone, so that 32 cards take one address of the subnet
(EC2 User Guide, "Maximize network bandwidth on instances with multiple network cards").
"""

from dataclasses import dataclass

from bedplate.components.facts import NodePool


@dataclass(frozen=True)
class Interface:
    """One interface of a launch template."""

    card: int
    device: int
    type: str | None
    """`efa` with IP, `efa-only` without; None: a plain ENA."""


def interfaces(pool: NodePool) -> list[Interface]:
    """As many EFAs as the shape has.

    Elsewhere card 0 carries one; on p6-b300 and p6e-gb200 it is a plain ENA (`ena_card`). The cards of EFA there take
    one interface, so it is at device 0.
    """
    if not pool.nics:
        return []
    if pool.ena_card:
        cards = range(1, 1 + pool.nics * pool.efa_card_step, pool.efa_card_step)
        return [Interface(0, 0, None), *(Interface(card, 0, "efa-only") for card in cards)]
    return [Interface(0, 0, "efa"), *(Interface(card, 1, "efa-only") for card in range(1, pool.nics))]
