"""How big the cluster is: nodes and GPUs per pool, and what a pod with a whole node asks for."""

from collections.abc import Mapping
from typing import Any

from stacks.facts.derive import facts
from stacks.load import load


def sizing(profile: Mapping[str, Any]) -> dict[str, Any]:
    """Figures from the profile's facts."""
    known = facts(load(profile))
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
        }
        for pool in known.pools
    ]
    return {
        "nodes": sum(pool.nodes for pool in known.pools),
        "gpus": sum(pool.nodes * pool.gpus for pool in known.pools),
        "pools": pools,
        "fabric": {
            "kind": known.fabric.kind,
            "exposure": known.fabric.exposure,
            "rails": len(known.fabric.rails),
        },
    }
