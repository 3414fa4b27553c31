"""What a pool's machines cost and draw in an hour, as far as anybody knows: never a guess, and with its source."""

from dataclasses import dataclass

from bedplate.catalog.gpus import GPUS
from bedplate.catalog.machines import MACHINES
from bedplate.catalog.sources import SOURCES
from bedplate.stacks.hardware.shapes import Shape
from bedplate.stacks.profile.pools import Pool
from bedplate.stacks.profile.profile import Profile


@dataclass(frozen=True)
class Cost:
    """One pool."""

    pool: str
    nodes: int
    most: int
    """When all are there that an autoscaler may add."""
    price: float | None
    """Dollars for a node and hour."""
    source: str
    """Whose price it is."""
    kilowatts: float | None
    """Of a node, at most."""
    whole: bool = True
    """Of all of it; else of its GPUs' boards alone."""

    @property
    def dollars(self) -> float | None:
        """An hour of the nodes that it starts with."""
        return None if self.price is None else self.price * self.nodes

    @property
    def power(self) -> float | None:
        """Of the nodes that it starts with."""
        return None if self.kilowatts is None else self.kilowatts * self.nodes


@dataclass(frozen=True)
class Bill:
    """All pools together."""

    pools: tuple[Cost, ...]

    @property
    def dollars(self) -> float:
        """An hour of what has a price."""
        return sum(cost.dollars or 0 for cost in self.pools)

    @property
    def dollars_at_most(self) -> float:
        """With all nodes that autoscalers may add."""
        return sum((cost.price or 0) * cost.most for cost in self.pools)

    @property
    def kilowatts(self) -> float:
        """Of what has a data sheet."""
        return sum(cost.power or 0 for cost in self.pools)

    @property
    def whole(self) -> bool:
        """Nothing draws more than is counted here."""
        return all(cost.whole and cost.kilowatts is not None for cost in self.pools)

    @property
    def text(self) -> str:
        """In one line, with what is not in it."""
        priced = [cost for cost in self.pools if cost.price is not None and cost.most]
        most = f" (at most ${self.dollars_at_most:,.2f})" if self.dollars_at_most > self.dollars else ""
        without = f", without {', '.join(self.unpriced)}: no price is known" if self.unpriced else ""
        money = f"${self.dollars:,.2f} an hour{most}{without}" if priced else "no price is known"
        power = f"{'' if self.whole else 'at least '}{self.kilowatts:,.1f} kW" if self.kilowatts else ""
        sources = sorted({price.source for price in priced})
        return "; ".join(part for part in (money, power, *sources) if part)

    @property
    def unpriced(self) -> tuple[str, ...]:
        """Pools whose machines have no price."""
        return tuple(cost.pool for cost in self.pools if cost.price is None and cost.most)


def bill(profile: Profile) -> Bill:
    """Pure: from the profile alone."""
    return Bill(tuple(_cost(profile, pool) for pool in profile.pools))


def _cost(profile: Profile, pool: Pool) -> Cost:
    price, source = _price(profile, pool)
    drawn = draw(pool.hardware) if pool.hardware else None
    kilowatts, whole = drawn or (None, True)
    return Cost(pool.name, pool.nodes, pool.most, price, source, kilowatts, whole)


def _price(profile: Profile, pool: Pool) -> tuple[float | None, str]:
    """The site's own price goes first; a list price is a cloud's, for a machine on demand."""
    own, machine = profile.hardware.prices if profile.hardware else None, str(pool.machine)
    for name in (machine, pool.kind):
        if own and name in own:
            return own[name], "hardware.prices"
    sold = MACHINES.get(machine)
    if sold is None or sold.price is None or sold.cloud != profile.platform:
        return None, ""
    source = SOURCES[sold.price.source]
    return sold.price.usd, f"list price on demand, {source.region}, {source.read}"


SHARED = 8
"""GPUs of a system whose draw the catalogue has."""
SHEETS = "NVIDIA DGX data sheets, system power at most"


def draw(shape: Shape) -> tuple[float, bool] | None:
    """Kilowatts of one node, and whether that is all of it or its GPUs' boards alone; None where nobody says."""
    if shape.max_kw is not None:
        return shape.max_kw, True
    gpu = GPUS.get(shape.gpu) if isinstance(shape.gpu, str) else None
    if gpu is None:
        return None
    if gpu.system_kw is not None:
        return gpu.system_kw / SHARED * shape.gpus, True
    return (gpu.board_watts * shape.gpus / 1000, False) if gpu.board_watts is not None else None
