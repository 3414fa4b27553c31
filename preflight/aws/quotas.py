"""Quotas of On-Demand Instances: virtual processors of a family, in a region.

What counts against them (EC2 User Guide, "Amazon EC2 instance type quotas" and "Capacity Reservations: limits"): every
On-Demand Instance that runs, and what an On-Demand Capacity Reservation holds unused; Capacity Blocks and spot do not.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from components.facts import NodePool
from components.facts.capacity import OnDemand
from preflight.aws.account import Account, Item
from preflight.finding import Finding, count
from stacks.hardware.shapes import SHAPES


@dataclass(frozen=True)
class Quota:
    """One of Service Quotas'."""

    code: str
    name: str


STANDARD = Quota("L-1216C47A", "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances")
ON_DEMAND: Mapping[str, Quota] = {
    "p": Quota("L-417A185B", "Running On-Demand P instances"),
    **dict.fromkeys(("g", "gr", "vt"), Quota("L-DB2E81BA", "Running On-Demand G and VT instances")),
    **dict.fromkeys("acdhimrtz", STANDARD),
}
"""By the letters that a family begins with; the codes are the same in every region."""


def quota_of(machine: str) -> Quota | None:
    """The quota that a machine counts against; None for families that no pool of ours has."""
    found = re.match(r"[a-z]+", machine)
    return ON_DEMAND.get(found[0]) if found else None


def quotas(known: Account) -> Iterator[Finding]:
    """All pools on demand together fit what the account has left of each."""
    if not known.knows("quotas", "instances", "reservations"):
        return
    limits = {one["QuotaCode"]: one["Value"] for one in known.one("quotas").get("Quotas", [])}
    wanting = [pool for pool in known.facts.own_pools if isinstance(pool.capacity, OnDemand)]
    for quota in dict.fromkeys(quota_of(str(pool.instance_type)) for pool in wanting):
        if quota is not None and quota.code in limits:
            pools = [pool for pool in wanting if quota_of(str(pool.instance_type)) == quota]
            yield from _short(known, quota, int(limits[quota.code]), pools)


def _short(known: Account, quota: Quota, limit: int, pools: list[NodePool]) -> Iterator[Finding]:
    needed = sum(known.lacking(pool) * pool.cpus for pool in pools)
    used = in_use(known, quota)
    if needed > max(0, limit - used):
        there = f"{max(0, limit - used):,} left of {limit:,}"
        fix = f"ask Service Quotas for {used + needed:,} ({quota.code}), or use reserved machines"
        names = ", ".join(pool.name for pool in pools)
        yield Finding(names, quota.name, known.section.region, count(needed, "vCPU"), there, fix)


def in_use(known: Account, quota: Quota) -> int:
    """Virtual processors that count already; of a machine that we do not know, none: this must not cry wolf."""
    running = (one for one in known.instances if not one.get("InstanceLifecycle"))
    held = (one for one in known.reservations.values() if one.get("State") == "active" and _on_demand(one))
    return sum(_processors(one) for one in running if quota_of(one["InstanceType"]) == quota) + sum(
        one.get("AvailableInstanceCount", 0) * SHAPES[one["InstanceType"]].cpus
        for one in held
        if quota_of(one["InstanceType"]) == quota and one["InstanceType"] in SHAPES
    )


def _on_demand(reservation: Item) -> bool:
    return reservation.get("ReservationType", "default") == "default"


def _processors(instance: Item) -> int:
    options = instance.get("CpuOptions", {})
    return options.get("CoreCount", 0) * options.get("ThreadsPerCore", 0)
