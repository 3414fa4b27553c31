"""Quotas of GPUs, by model and region: older models as a metric of the region, newer ones as a family of one quota.

A reservation counted when it was made, so that its machines need no further quota (Compute Engine documentation,
"Consume reserved VMs").
"""

from collections.abc import Iterator, Mapping

from components.cloud.gcp.machines import MACHINES
from components.facts import NodePool
from components.facts.capacity import OnDemand
from preflight.finding import Finding, count
from preflight.gcp.project import Project

METRICS: Mapping[str, str] = {
    "nvidia-tesla-a100": "NVIDIA_A100_GPUS",
    "nvidia-a100-80gb": "NVIDIA_A100_80GB_GPUS",
    "nvidia-l4": "NVIDIA_L4_GPUS",
}
"""Quota.metric of Compute Engine's API."""
FAMILIES: Mapping[str, str] = {
    "nvidia-h100-80gb": "NVIDIA_H100",
    "nvidia-h100-mega-80gb": "NVIDIA_H100_MEGA",
    "nvidia-h200-141gb": "NVIDIA_H200",
    "nvidia-b200": "NVIDIA_B200",
    "nvidia-rtx-pro-6000": "NVIDIA_RTX_PRO_6000",
}
"""`gpu_family` of the quota "GPUs per GPU family" (Cloud Quotas API)."""


def accelerator(pool: NodePool) -> str:
    """GKE's name of the pool's GPU; nothing for a machine that we do not know."""
    machine = MACHINES.get(str(pool.instance_type))
    return machine.accelerator if machine else ""


def by_family(pool: NodePool) -> bool:
    """Its GPUs count as a family."""
    return accelerator(pool) in FAMILIES


def quotas(known: Project) -> Iterator[Finding]:
    """Pools on demand that are still to be made fit what is left: the nodes of others are in use already."""
    wanting = [pool for pool in known.facts.own_pools if isinstance(pool.capacity, OnDemand) and not known.has(pool)]
    for model in dict.fromkeys(accelerator(pool) for pool in wanting if pool.gpus):
        pools = [pool for pool in wanting if accelerator(pool) == model]
        needed = sum(pool.most * pool.gpus for pool in pools)
        name = METRICS.get(model) or FAMILIES.get(model) or ""
        left = _left(known, model)
        if left is not None and needed > left:
            names, where = ", ".join(pool.name for pool in pools), known.section.region
            fix = f"ask for more of the quota {name}, or use a reservation"
            yield Finding(names, name, where, count(needed, "GPU"), f"{left:,} left", fix)


def _left(known: Project, model: str) -> int | None:
    """None where nobody says."""
    if model in METRICS and known.knows("region"):
        rows = known.one("region").get("quotas", [])
        found = next((row for row in rows if row["metric"] == METRICS[model]), None)
        return int(found["limit"] - found.get("usage", 0)) if found else None
    if model in FAMILIES and known.knows("families"):
        return _family(known, FAMILIES[model])
    return None


def _family(known: Project, family: str) -> int | None:
    """The most of a family in the region; the row without a region is every other region's."""
    rows = known.one("families").get("dimensionsInfos", [])
    mine = [row for row in rows if row.get("dimensions", {}).get("gpu_family") == family]
    here = [row for row in mine if row["dimensions"].get("region") == known.section.region]
    others = [row for row in mine if "region" not in row["dimensions"]]
    found = next(iter([*here, *others]), None)
    return int(found.get("details", {}).get("value", 0)) if found else None
