"""Quotas of GPUs, by model and region: older models as a metric of the region, newer ones as a family of one quota.

A reservation counted when it was made, so that its machines need no further quota (Compute Engine documentation,
"Consume reserved VMs").
"""

from collections.abc import Iterator

from bedplate.catalog.machines import MACHINES
from bedplate.components.facts import NodePool
from bedplate.components.facts.capacity import OnDemand
from bedplate.preflight.finding import Finding, count
from bedplate.preflight.gcp.project import Project

METRIC = "_GPUS"
"""How a metric of the region's ends; what a machine counts against else is a `gpu_family` of "GPUs per GPU family"."""


def quota(pool: NodePool) -> str:
    """Quota.metric of Compute Engine's API, or `gpu_family` of the Cloud Quotas API; else nothing."""
    machine = MACHINES.get(str(pool.instance_type))
    return machine.quota if machine else ""


def by_family(pool: NodePool) -> bool:
    """Its GPUs count as a family."""
    return bool(name := quota(pool)) and not name.endswith(METRIC)


def quotas(project: Project) -> Iterator[Finding]:
    """Pools on demand that are still to be made fit what is left: the nodes of others are in use already."""
    wanting = [
        pool for pool in project.facts.own_pools if isinstance(pool.capacity, OnDemand) and not project.has(pool)
    ]
    for name in dict.fromkeys(quota(pool) for pool in wanting if pool.gpus):
        pools = [pool for pool in wanting if quota(pool) == name]
        needed = sum(pool.most * pool.gpus for pool in pools)
        left = _left(project, name)
        if left is not None and needed > left:
            names, where = ", ".join(pool.name for pool in pools), project.section.region
            fix = f"ask for more of the quota {name}, or use a reservation"
            yield Finding(names, name, where, count(needed, "GPU"), f"{left:,} left", fix)


def _left(project: Project, name: str) -> int | None:
    """None where nobody says."""
    if name.endswith(METRIC) and project.knows("region"):
        rows = project.one("region").get("quotas", [])
        quota = next((row for row in rows if row["metric"] == name), None)
        return int(quota["limit"] - quota.get("usage", 0)) if quota else None
    if name and not name.endswith(METRIC) and project.knows("families"):
        return _family(project, name)
    return None


def _family(project: Project, family: str) -> int | None:
    """The most of a family in the region; the row without a region is every other region's."""
    rows = project.one("families").get("dimensionsInfos", [])
    mine = [row for row in rows if row.get("dimensions", {}).get("gpu_family") == family]
    here = [row for row in mine if row["dimensions"].get("region") == project.section.region]
    others = [row for row in mine if "region" not in row["dimensions"]]
    limit = next(iter([*here, *others]), None)
    return int(limit.get("details", {}).get("value", 0)) if limit else None
