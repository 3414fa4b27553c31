"""How big the cluster is: nodes and GPUs per pool, and what a pod with a whole node asks for."""

from collections.abc import Mapping
from typing import Any

from bedplate.stacks.facts.costs import Bill, Cost, bill
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.load import load

from .fit import lines


def sizing(profile: Mapping[str, Any]) -> dict[str, Any]:
    """Figures from the profile's facts."""
    loaded = load(profile)
    derived, costs = facts(loaded), bill(loaded)
    pools = [
        {
            "name": pool.name,
            "shape": pool.shape,
            "nodes": pool.nodes,
            "gpusPerNode": pool.gpus,
            "gpus": pool.nodes * pool.gpus,
            "gpuProduct": pool.gpu_product,
            "resource": pool.resource if pool.gpus else None,
            "nicsPerNode": pool.nics,
            "nicGbps": pool.nic_gbps,
            "perPod": dict(pool.devices),
            "busbwFloorGBs": pool.busbw_floor_gbs,
            "cpus": pool.nodes * pool.cpus,
            "memoryGib": pool.nodes * pool.memory_gib,
            "podCpusPerNode": pool.allocatable.millicores / 1000,
            "podMemoryMibPerNode": pool.allocatable.memory,
            **_cost(cost),
        }
        for pool, cost in zip(derived.pools, costs.pools, strict=True)
    ]
    return {
        "nodes": sum(pool.nodes for pool in derived.pools),
        "gpus": sum(pool.nodes * pool.gpus for pool in derived.pools),
        "pools": pools,
        "cost": total(costs),
        "fit": [line.as_json() for line in lines(loaded, derived)],
        "fabric": {
            "kind": derived.fabric.kind,
            "exposure": derived.fabric.exposure,
            "rails": len(derived.fabric.rails),
        },
    }


def _cost(cost: Cost) -> dict[str, Any]:
    return {
        "dollarsPerHour": _rounded(cost.dollars),
        "priceSource": cost.source,
        "kilowatts": _rounded(cost.power),
        "kilowattsOfBoardsAlone": not cost.whole,
    }


def total(costs: Bill) -> dict[str, Any]:
    """An hour of the whole cluster, and what is not in it."""
    return {
        "dollarsPerHour": _rounded(costs.dollars),
        "dollarsPerHourAtMost": _rounded(costs.dollars_at_most),
        "kilowatts": _rounded(costs.kilowatts),
        "kilowattsAreAll": costs.whole,
        "unpriced": list(costs.unpriced),
        "sources": sorted({pool.source for pool in costs.pools if pool.source}),
        "text": costs.text,
    }


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 2)
