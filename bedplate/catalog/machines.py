"""Machines with NVIDIA GPUs: what each seller's have, cost and count against, a row each in the seller's file."""

from collections.abc import Mapping
from dataclasses import dataclass

from bedplate.catalog import table

CLOUDS: Mapping[str, str | None] = {"aws": "eks", "google": "gke", "azure": "aks", "oracle": "oke", "on_site": None}
"""The platform of a seller's machines, by the seller's file; None: a site's own."""
PREFIXES: Mapping[str, str] = {"azure": "Standard_"}
"""What a seller's API writes before the names."""


@dataclass(frozen=True)
class Price:
    """Dollars for a node and hour on demand."""

    usd: float
    source: str
    """A key of `data/sources.csv`."""


@dataclass(frozen=True)
class Floor:
    """Bus bandwidth of an all-reduce over whole nodes, GB/s."""

    two: int
    """Over two nodes."""
    more: int
    """Over more."""
    source: str
    """A key of `data/sources.csv`."""


@dataclass(frozen=True)
class Machine:
    """One kind of node; `data/columns.csv` says what each field is. None: not published."""

    name: str
    seller: str
    cloud: str | None
    family: str
    gpu: str
    gpus: int
    cpus: int
    memory_gib: int
    pods: int | None
    arch: str
    fabrics: tuple[str, ...]
    nics: int | None
    nic_gbps: int
    extra_hcas: int
    nvlink: int
    ena_card: bool
    card_step: int
    efa_plugin: str
    """Empty: any, or no EFA."""
    local_ssds: int | None
    cloud_gpu: str
    topology: str
    quota: str
    """A key or name of the seller's; empty: none, or not published."""
    spot_quota: str
    scarce: bool
    price: Price | None
    kw: float | None
    floor: Floor | None
    source: str

    @property
    def efa(self) -> int:
        """EFA interfaces."""
        return (self.nics or 0) if "efa" in self.fabrics else 0


def _machine(seller: str, row: table.Row) -> Machine:
    return table.made(
        Machine,
        row,
        seller=seller,
        cloud=CLOUDS[seller],
        nics=table.counted(row["nics"]),
        nic_gbps=table.whole(row["nic_gbps"]),
        extra_hcas=table.whole(row["extra_hcas"]),
        card_step=table.whole(row["card_step"]) or 1,
        efa_plugin="" if row["efa_plugin"] == "any" else table.text(row["efa_plugin"]),
        local_ssds=table.counted(row["local_ssds"]),
        price=Price(float(row["usd_hour"]), row["price_source"]) if table.said(row["usd_hour"]) else None,
        floor=_floor(row),
    )


def _floor(row: table.Row) -> Floor | None:
    return Floor(int(row["busbw"]), int(row["busbw_more"]), row["busbw_source"]) if table.said(row["busbw"]) else None


def sold_by(seller: str) -> Mapping[str, Machine]:
    """The machines of one file."""
    return {row["name"]: _machine(seller, row) for row in table.read(seller)}


MACHINES: Mapping[str, Machine] = {name: one for seller in CLOUDS for name, one in sold_by(seller).items()}


def of_type(name: str) -> Machine | None:
    """The machine that an API names."""
    return MACHINES.get(_bare(name))


def like(name: str) -> tuple[Machine, ...]:
    """That machine alone, or those of its family where the seller has one that we do not list."""
    if exact := of_type(name):
        return (exact,)
    bare = _bare(name)
    families = {one.family for one in MACHINES.values() if one.family and bare.startswith(one.family)}
    longest = max(families, key=len, default=None)
    return tuple(one for one in MACHINES.values() if one.family == longest)


def _bare(name: str) -> str:
    for prefix in PREFIXES.values():
        name = name.removeprefix(prefix)
    return name
