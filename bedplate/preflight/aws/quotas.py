"""Quotas of On-Demand Instances: virtual processors of a family, in a region.

What counts against them (EC2 User Guide, "Amazon EC2 instance type quotas" and "Capacity Reservations: limits"): every
On-Demand Instance that runs, and what an On-Demand Capacity Reservation holds unused; Capacity Blocks and spot do not.
"""

from collections.abc import Iterator

from bedplate.catalog.machines import MACHINES
from bedplate.catalog.quotas import Quota, on_demand, spot
from bedplate.components.facts import NodePool
from bedplate.components.facts.capacity import OnDemand, Spot
from bedplate.preflight.aws.account import Account
from bedplate.preflight.finding import Finding, count
from bedplate.preflight.known import Item


def quotas(account: Account) -> Iterator[Finding]:
    """All pools on demand together fit what the account has left of each."""
    if not account.knows("quotas", "instances", "reservations"):
        return
    limits = {row["QuotaCode"]: row["Value"] for row in account.one("quotas").get("Quotas", [])}
    wanting: dict[Quota, list[NodePool]] = {}
    for pool in account.facts.own_pools:
        if (quota := _counts_against(pool)) and quota.code in limits:
            wanting.setdefault(quota, []).append(pool)
    for quota, pools in wanting.items():
        yield from _short(account, quota, int(limits[quota.code]), pools)


def _counts_against(pool: NodePool) -> Quota | None:
    match pool.capacity:
        case OnDemand():
            return on_demand(str(pool.instance_type))
        case Spot():
            return spot(str(pool.instance_type))
        case _:
            return None


def _short(account: Account, quota: Quota, limit: int, pools: list[NodePool]) -> Iterator[Finding]:
    needed = sum(account.lacking(pool) * pool.cpus for pool in pools)
    requested = (instance for instance in account.instances if instance.get("InstanceLifecycle") == "spot")
    used = in_use(account, quota) + sum(_processors(row) for row in requested if spot(row["InstanceType"]) == quota)
    if needed > max(0, limit - used):
        there = f"{max(0, limit - used):,} left of {limit:,}"
        fix = f"ask Service Quotas for {used + needed:,} ({quota.code}), or use reserved machines"
        names = ", ".join(pool.name for pool in pools)
        yield Finding(names, quota.name, account.section.region, count(needed, "vCPU"), there, fix)


def in_use(account: Account, quota: Quota) -> int:
    """Virtual processors that count already; of a machine that we do not know, none: this must not cry wolf."""
    running = (instance for instance in account.instances if not instance.get("InstanceLifecycle"))
    held = (row for row in account.reservations.values() if row.get("State") == "active" and _on_demand(row))
    return sum(_processors(row) for row in running if on_demand(row["InstanceType"]) == quota) + sum(
        row.get("AvailableInstanceCount", 0) * MACHINES[row["InstanceType"]].cpus
        for row in held
        if on_demand(row["InstanceType"]) == quota and row["InstanceType"] in MACHINES
    )


def _on_demand(reservation: Item) -> bool:
    return reservation.get("ReservationType", "default") == "default"


def _processors(instance: Item) -> int:
    options = instance.get("CpuOptions", {})
    return options.get("CoreCount", 0) * options.get("ThreadsPerCore", 0)
