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


def reservations(known: Project) -> Iterator[Finding]:
    """Of every pool that takes its machines from one."""
    asked: dict[tuple[str, str], list[NodePool]] = {}
    for pool, capacity in reserved(known.facts.own_pools):
        asked.setdefault((home(known.section, capacity), capacity.name), []).append(pool)
    for (project, name), pools in asked.items():
        if known.knows(f"reservations {project}"):
            yield from _one(known, project, name, pools)
    for pool, capacity in reserved(known.facts.own_pools):
        if capacity.block and known.knows(block_question(known.section, capacity)):
            yield from _block(known, pool, capacity)


def _one(known: Project, project: str, name: str, pools: list[NodePool]) -> Iterator[Finding]:
    names, needed = ", ".join(pool.name for pool in pools), sum(pool.most for pool in pools)
    rows = [one for one in known.several(f"reservations {project}") if one["name"] == name]
    found = next((row for row in rows if last(row["zone"]) in pools[0].zones), None)
    if found is None:
        there = f"it is in {last(rows[0]['zone'])}" if rows else f"project {project} has no such reservation"
        where, fix = " or ".join(pools[0].zones), "correct capacity.name or the pool's zone"
        yield Finding(names, f"reservation {name}", where, count(needed, "machine"), there, fix)
        return
    faults = [fault for pool in pools for fault in _unfit(found, pool)]
    yield from faults
    if not faults:
        yield from _free(known, found, pools)
    yield from _end(known, found, names)


def _unfit(found: Item, pool: NodePool) -> Iterator[Finding]:
    """What keeps a node of the pool from running in it at all."""
    for what, desired, has in _differences(found, pool):
        if desired != has:
            title, fix = f"reservation {found['name']}: {what}", "name another reservation, or correct the pool"
            yield Finding(pool.name, title, last(found["zone"]), desired, f"it has {has}", fix)


def _differences(found: Item, pool: NodePool) -> Iterator[tuple[str, str, str]]:
    properties = found.get("specificReservation", {}).get("instanceProperties", {})
    yield "state", "READY", str(found.get("status"))
    if "machineType" in properties:
        yield "machine", str(pool.instance_type), str(properties["machineType"])
    yield "affinity", "by name only", "by name only" if found.get("specificReservationRequired") else "any machine's"
    if isinstance(pool.capacity, Reservation):
        made_with = [last(policy) for policy in found.get("resourcePolicies", {}).values()]
        yield "placement policy", pool.capacity.placement_policy or "none", ", ".join(made_with) or "none"


def _free(known: Project, found: Item, pools: list[NodePool]) -> Iterator[Finding]:
    """Of a pool that is there already the reservation's machines count as used, by it: it must be large enough."""
    size = found.get("specificReservation", {})
    total, used = int(size.get("count", 0)), int(size.get("inUseCount", 0))
    needed = sum(pool.most for pool in pools)
    free = total if any(known.has(pool) for pool in pools) else total - used
    if needed > free:
        names, where = ", ".join(pool.name for pool in pools), last(found["zone"])
        there, fix = f"{free:,} of its {total:,} are free", "reserve more, or lower nodes"
        yield Finding(names, f"reservation {found['name']}", where, count(needed, "machine"), there, fix)


def _block(known: Project, pool: NodePool, capacity: Reservation) -> Iterator[Finding]:
    name = f"block {capacity.block} of {capacity.name}"
    rows = known.several(block_question(known.section, capacity))
    found = next((row for row in rows if row["name"] == capacity.block), None)
    where, needed = pool.zone or known.section.region, count(pool.most, "machine")
    if found is None:
        there = f"it has {', '.join(one['name'] for one in rows) or 'no blocks'}"
        yield Finding(pool.name, name, where, needed, there, "correct capacity.block, or leave it out")
        return
    total, used = int(found.get("count", 0)), int(found.get("inUseCount", 0))
    free = total if known.has(pool) else total - used
    if pool.most > free:
        fix = "use a larger block, several pools, or no block"
        yield Finding(pool.name, name, where, needed, f"{free:,} of its {total:,} are free", fix)


def _end(known: Project, found: Item, names: str) -> Iterator[Finding]:
    if "deleteAtTime" not in found:
        return
    end = datetime.fromisoformat(str(found["deleteAtTime"]))
    if (left := end - known.now) <= SOON:
        fix = "its nodes are taken away by then: extend it, or have checkpoints"
        there, title = f"it ends {end:%Y-%m-%d %H:%M %Z}".strip(), f"reservation {found['name']}: time"
        grade = "short" if left <= timedelta() else "advice"
        yield Finding(names, title, last(found["zone"]), "more than a day", there, fix, grade)
