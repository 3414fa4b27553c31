"""Quotas of On-Demand Instances: virtual processors of a family, in a region.

What counts against them (EC2 User Guide, "Amazon EC2 instance type quotas" and "Capacity Reservations: limits"): every
On-Demand Instance that runs, and what an On-Demand Capacity Reservation holds unused; Capacity Blocks and spot do not.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from components.facts import NodePool
from components.facts.capacity import OnDemand, Spot
from preflight.aws.account import Account
from preflight.finding import Finding, count
from preflight.known import Item
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

SPOT: Mapping[str, Quota] = {
    **dict.fromkeys(("p3", "p4"), Quota("L-7212CCBC", "All P4, P3 and P2 Spot Instance Requests")),
    "p5": Quota("L-C4BD4855", "All P5 Spot Instance Requests"),
    **{f"g{number}": Quota("L-3819A6DF", "All G and VT Spot Instance Requests") for number in (4, 5, 6)},
}
"""By family and generation, of machines with GPUs."""


def spot_quota_of(machine: str) -> Quota | None:
    """The same of a spot machine; None where we know none."""
    return SPOT.get(machine[:2])


def quota_of(machine: str) -> Quota | None:
    """The quota that a machine counts against; None for families that no pool of ours has."""
    found = re.match(r"[a-z]+", machine)
    return ON_DEMAND.get(found[0]) if found else None


def quotas(known: Account) -> Iterator[Finding]:
    """All pools on demand together fit what the account has left of each."""
    if not known.knows("quotas", "instances", "reservations"):
        return
    limits = {one["QuotaCode"]: one["Value"] for one in known.one("quotas").get("Quotas", [])}
    wanting: dict[Quota, list[NodePool]] = {}
    for pool in known.facts.own_pools:
        if (quota := _counts_against(pool)) and quota.code in limits:
            wanting.setdefault(quota, []).append(pool)
    for quota, pools in wanting.items():
        yield from _short(known, quota, int(limits[quota.code]), pools)


def _counts_against(pool: NodePool) -> Quota | None:
    match pool.capacity:
        case OnDemand():
            return quota_of(str(pool.instance_type))
        case Spot():
            return spot_quota_of(str(pool.instance_type))
        case _:
            return None


def _short(known: Account, quota: Quota, limit: int, pools: list[NodePool]) -> Iterator[Finding]:
    needed = sum(known.lacking(pool) * pool.cpus for pool in pools)
    spot = (one for one in known.instances if one.get("InstanceLifecycle") == "spot")
    used = in_use(known, quota) + sum(_processors(one) for one in spot if spot_quota_of(one["InstanceType"]) == quota)
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
