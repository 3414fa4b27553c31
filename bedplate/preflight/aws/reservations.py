"""Reservations and Capacity Blocks: there, of this machine and zone, open for so many, and for how long."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from itertools import chain

from bedplate.components.facts import NodePool
from bedplate.components.facts.capacity import CapacityBlock, OnDemandCapacityReservation
from bedplate.preflight.aws.account import Account, moment
from bedplate.preflight.aws.questions import group_question
from bedplate.preflight.finding import Finding, count
from bedplate.preflight.known import Item

KINDS = {"default": "On-Demand Capacity Reservation", "capacity-block": "Capacity Block"}
DRAINED_BEFORE = timedelta(minutes=40)
"""EC2 gives notice so long before a block's end and ends its machines ten minutes later (EC2 User Guide, "Capacity
Blocks: instance termination notices")."""
SOON = timedelta(days=1)
LINUX = "Linux/UNIX"


def reservations(account: Account) -> Iterator[Finding]:
    """Of every pool that takes its machines from one."""
    if not account.knows("reservations", "instances"):
        return
    holders: dict[str, list[NodePool]] = {}
    for pool in account.facts.own_pools:
        match pool.capacity:
            case OnDemandCapacityReservation(id=str(name)) | CapacityBlock(id=name):
                holders.setdefault(name, []).append(pool)
            case OnDemandCapacityReservation(group=str(arn)) if account.knows(group_question(arn)):
                yield from _of_group(account, arn, pool)
            case _:
                continue
    for name, pools in holders.items():
        yield from _one(account, name, pools)


def _one(account: Account, name: str, pools: list[NodePool]) -> Iterator[Finding]:
    reservation = account.reservations.get(name)
    names = ", ".join(pool.name for pool in pools)
    needed = sum(account.lacking(pool) for pool in pools)
    if reservation is None:
        fix = "correct capacity.id, or have it shared with this account"
        yield Finding(names, name, account.section.region, count(needed, "machine"), "no such reservation", fix)
        return
    faults = list(chain.from_iterable(unfit(reservation, pool) for pool in pools))
    yield from faults
    state = list(_state(account, reservation, names))
    yield from state
    open_for = int(reservation.get("AvailableInstanceCount", 0))
    if not faults and not state and needed > open_for:
        there = f"{open_for:,} of its {reservation.get('TotalInstanceCount', 0):,} are free"
        fix = "reserve more, or lower nodes"
        yield Finding(names, name, str(reservation["AvailabilityZone"]), count(needed, "machine"), there, fix)
    yield from _end(account, reservation, names)


def _of_group(account: Account, arn: str, pool: NodePool) -> Iterator[Finding]:
    """What the group holds for this pool, all together."""
    members = [account.reservations[name] for name in account.in_group(arn) if name in account.reservations]
    good = [member for member in members if member.get("State") == "active" and not list(unfit(member, pool))]
    free, needed = sum(int(row.get("AvailableInstanceCount", 0)) for row in good), account.lacking(pool)
    where = pool.zones[0] if pool.zones else account.section.region
    if needed > free:
        there = f"{free:,} free in {len(good)} of its {count(len(members), 'reservation')} of {pool.instance_type}"
        title = f"resource group {arn.rpartition('group/')[2]}"
        fix = "add reservations of this machine and zone to it, or lower nodes"
        yield Finding(pool.name, title, where, count(needed, "machine"), there, fix)


def unfit(reservation: Item, pool: NodePool) -> Iterator[Finding]:
    """What keeps a node of the pool from running in it at all."""
    name, where = str(reservation["CapacityReservationId"]), str(reservation["AvailabilityZone"])
    for what, desired, has in _differences(reservation, pool):
        if desired != has:
            fix = "name another reservation, or correct the pool"
            yield Finding(pool.name, f"{name}: {what}", where, desired, f"it has {has}", fix)


def _differences(reservation: Item, pool: NodePool) -> Iterator[tuple[str, str, str]]:
    kind = "capacity-block" if isinstance(pool.capacity, CapacityBlock) else "default"
    yield "kind", KINDS[kind], KINDS.get(str(reservation.get("ReservationType", "default")), "another kind")
    yield "machine", str(pool.instance_type), str(reservation["InstanceType"])
    zone = str(reservation["AvailabilityZone"])
    yield "zone", zone if zone in pool.zones else " or ".join(pool.zones), zone
    yield "platform", LINUX, str(reservation.get("InstancePlatform", LINUX))
    yield "tenancy", "default", str(reservation.get("Tenancy", "default"))
    if isinstance(pool.capacity, OnDemandCapacityReservation):
        held = str(reservation.get("PlacementGroupArn") or "").rpartition("/")[2]
        yield "placement group", pool.capacity.in_placement_group or "none", held or "none"


def _state(account: Account, reservation: Item, names: str) -> Iterator[Finding]:
    name, where, state = (
        str(reservation["CapacityReservationId"]),
        str(reservation["AvailabilityZone"]),
        str(reservation["State"]),
    )
    begins = moment(reservation.get("StartDate"))
    if state in ("scheduled", "payment-pending", "assessing", "delayed") or (begins and begins > account.now):
        there = f"it is {state}" + (f" and begins {begins:%Y-%m-%d %H:%M} UTC" if begins else "")
        yield Finding(names, f"{name}: state", where, "active", there, "deploy when it has begun")
    elif state != "active":
        yield Finding(names, f"{name}: state", where, "active", f"it is {state}", "name one that is")


def _end(account: Account, reservation: Item, names: str) -> Iterator[Finding]:
    end = moment(reservation.get("EndDate"))
    if end is None or reservation["State"] != "active" or (left := end - account.now) > SOON:
        return
    gone = left <= (DRAINED_BEFORE if reservation.get("ReservationType") == "capacity-block" else timedelta())
    fix = "its nodes are taken away by then: extend it, or have checkpoints"
    there = f"it ends {end:%Y-%m-%d %H:%M} UTC"
    title, where = f"{reservation['CapacityReservationId']}: time", str(reservation["AvailabilityZone"])
    yield Finding(names, title, where, "more than a day", there, fix, "short" if gone else "advice")


def placement(account: Account) -> Iterator[Finding]:
    """The placement group that a reservation was made in is there, and keeps machines together."""
    if not account.knows("placement"):
        return
    groups: Mapping[str, Item] = {row["GroupName"]: row for row in account.one("placement").get("PlacementGroups", [])}
    for pool in account.facts.own_pools:
        match pool.capacity:
            case OnDemandCapacityReservation(in_placement_group=str(name)):
                group = groups.get(name, {})
                there = f"it is {group.get('State')}, {group.get('Strategy')}" if group else "no such group"
                if (group.get("State"), group.get("Strategy")) != ("available", "cluster"):
                    fix = "name the group that the reservation was made in"
                    title, where = f"placement group {name}", pool.zone or account.section.region
                    yield Finding(pool.name, title, where, "an available cluster group", there, fix)
            case _:
                continue
