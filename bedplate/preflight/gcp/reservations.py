"""Reservations and their blocks: there, of this machine and zone, free for so many, and for how long."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from bedplate.components.facts import NodePool
from bedplate.components.facts.capacity import Reservation
from bedplate.preflight.finding import Finding, count
from bedplate.preflight.gcp.project import Project, last
from bedplate.preflight.gcp.questions import block_question, home, reserved
from bedplate.preflight.known import Item

SOON = timedelta(days=1)


def reservations(account: Project) -> Iterator[Finding]:
    """Of every pool that takes its machines from one."""
    pools_of: dict[tuple[str, str], list[NodePool]] = {}
    for pool, capacity in reserved(account.facts.own_pools):
        pools_of.setdefault((home(account.section, capacity), capacity.name), []).append(pool)
    for (project, name), pools in pools_of.items():
        if account.knows(f"reservations {project}"):
            yield from _one(account, project, name, pools)
    for pool, capacity in reserved(account.facts.own_pools):
        if capacity.block and account.knows(block_question(account.section, capacity)):
            yield from _block(account, pool, capacity)


def _one(quota_project: Project, project: str, name: str, pools: list[NodePool]) -> Iterator[Finding]:
    names, needed = ", ".join(pool.name for pool in pools), sum(pool.most for pool in pools)
    rows = [row for row in quota_project.several(f"reservations {project}") if row["name"] == name]
    reservation = next((row for row in rows if last(row["zone"]) in pools[0].zones), None)
    if reservation is None:
        there = f"it is in {last(rows[0]['zone'])}" if rows else f"project {project} has no such reservation"
        where, fix = " or ".join(pools[0].zones), "correct capacity.name or the pool's zone"
        yield Finding(names, f"reservation {name}", where, count(needed, "machine"), there, fix)
        return
    faults = [fault for pool in pools for fault in _unfit(reservation, pool)]
    yield from faults
    if not faults:
        yield from _free(quota_project, reservation, pools)
    yield from _end(quota_project, reservation, names)


def _unfit(reservation: Item, pool: NodePool) -> Iterator[Finding]:
    """What keeps a node of the pool from running in it at all."""
    for what, desired, has in _differences(reservation, pool):
        if desired != has:
            title, fix = f"reservation {reservation['name']}: {what}", "name another reservation, or correct the pool"
            yield Finding(pool.name, title, last(reservation["zone"]), desired, f"it has {has}", fix)


def _differences(reservation: Item, pool: NodePool) -> Iterator[tuple[str, str, str]]:
    properties = reservation.get("specificReservation", {}).get("instanceProperties", {})
    yield "state", "READY", str(reservation.get("status"))
    if "machineType" in properties:
        yield "machine", str(pool.instance_type), str(properties["machineType"])
    yield (
        "affinity",
        "by name only",
        "by name only" if reservation.get("specificReservationRequired") else "any machine's",
    )
    if isinstance(pool.capacity, Reservation):
        made_with = [last(policy) for policy in reservation.get("resourcePolicies", {}).values()]
        yield "placement policy", pool.capacity.placement_policy or "none", ", ".join(made_with) or "none"


def _free(project: Project, reservation: Item, pools: list[NodePool]) -> Iterator[Finding]:
    """Of a pool that is there already the reservation's machines count as used, by it: it must be large enough."""
    size = reservation.get("specificReservation", {})
    total, used = int(size.get("count", 0)), int(size.get("inUseCount", 0))
    needed = sum(pool.most for pool in pools)
    free = total if any(project.has(pool) for pool in pools) else total - used
    if needed > free:
        names, where = ", ".join(pool.name for pool in pools), last(reservation["zone"])
        there, fix = f"{free:,} of its {total:,} are free", "reserve more, or lower nodes"
        yield Finding(names, f"reservation {reservation['name']}", where, count(needed, "machine"), there, fix)


def _block(project: Project, pool: NodePool, capacity: Reservation) -> Iterator[Finding]:
    name = f"block {capacity.block} of {capacity.name}"
    rows = project.several(block_question(project.section, capacity))
    block = next((row for row in rows if row["name"] == capacity.block), None)
    where, needed = pool.zone or project.section.region, count(pool.most, "machine")
    if block is None:
        there = f"it has {', '.join(row['name'] for row in rows) or 'no blocks'}"
        yield Finding(pool.name, name, where, needed, there, "correct capacity.block, or leave it out")
        return
    total, used = int(block.get("count", 0)), int(block.get("inUseCount", 0))
    free = total if project.has(pool) else total - used
    if pool.most > free:
        fix = "use a larger block, several pools, or no block"
        yield Finding(pool.name, name, where, needed, f"{free:,} of its {total:,} are free", fix)


def _end(project: Project, reservation: Item, names: str) -> Iterator[Finding]:
    if "deleteAtTime" not in reservation:
        return
    end = datetime.fromisoformat(str(reservation["deleteAtTime"]))
    if (left := end - project.now) <= SOON:
        fix = "its nodes are taken away by then: extend it, or have checkpoints"
        there, title = f"it ends {end:%Y-%m-%d %H:%M %Z}".strip(), f"reservation {reservation['name']}: time"
        grade = "short" if left <= timedelta() else "advice"
        yield Finding(names, title, last(reservation["zone"]), "more than a day", there, fix, grade)
