"""EC2's quotas of virtual processors, by the letters or the generation that a machine's name begins with.

Service Quotas, "Amazon EC2"; the codes are the same in every region. Whole accounts are counted by them, so they hold
for machines without GPUs and for those that the catalogue does not list (`data/quotas.csv`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bedplate.catalog import table


@dataclass(frozen=True)
class Quota:
    """One of Service Quotas'."""

    code: str
    name: str


_ROWS = table.read("quotas")
_STEM = re.compile(r"([a-z]+)\d*")
QUOTAS: Mapping[str, Quota] = {row["code"]: Quota(row["code"], row["name"]) for row in _ROWS}


def on_demand(machine: str) -> Quota | None:
    """What a machine counts against; None for families that none of these is of."""
    return _of("on-demand", machine)


def spot(machine: str) -> Quota | None:
    """The same of a spot machine."""
    return _of("spot", machine)


def _of(market: str, machine: str) -> Quota | None:
    """By the letters, `gr` of `gr6.4xlarge`, or with the generation, `p5` of `p5en.48xlarge`."""
    stem = _STEM.match(machine)
    rows = (row for row in _ROWS if row["market"] == market)
    families = {family: row["code"] for row in rows for family in table.words(row["families"])}
    code = (families.get(stem[0]) or families.get(stem[1])) if stem else None
    return QUOTAS[code] if code else None
