"""ConfigMaps by which the MIG manager and the device plugin slice GPUs, one entry per pool that asks for it.

The chart creates both ConfigMaps from its values; nodes pick an entry by label (`components/nodes/pool_labels.py`).
"""

from collections.abc import Iterator
from typing import Any

import yaml

from bedplate.components.facts import Facts, NodePool


def mig_config(facts: Facts) -> dict[str, Any]:
    """`migManager.config`: a layout per pool, and whole GPUs for everybody else."""
    if not (sliced := [pool for pool in facts.pools if pool.cut]):
        return {}
    layouts = {pool.name: list(_layouts(pool)) for pool in sliced}
    data = {"version": "v1", "mig-configs": {"all-disabled": [{"devices": "all", "mig-enabled": False}], **layouts}}
    # The MIG manager reads this one key (GPU Operator docs, gpu-operator-mig).
    return {
        "config": {
            "create": True,
            "name": "bedplate-mig-config",
            "default": "all-disabled",
            "data": {"config.yaml": _yaml(data)},
        }
    }


def device_plugin_config(facts: Facts) -> dict[str, Any]:
    """`devicePlugin.config`: time slicing for pools that ask for it, plain GPUs by default."""
    if not (shared := [pool for pool in facts.pools if pool.time_slices > 1]):
        return {}
    plain = {"version": "v1", "flags": {"migStrategy": "mixed" if any(pool.cut for pool in facts.pools) else "single"}}
    data = {"default": _yaml(plain), **{pool.name: _yaml(plain | {"sharing": _sharing(pool)}) for pool in shared}}
    return {"config": {"create": True, "name": "bedplate-device-plugin-config", "default": "default", "data": data}}


def _layouts(pool: NodePool) -> Iterator[dict[str, Any]]:
    """One for all GPUs, or for those that are cut alike: a GPU in none would stay as it is (NVIDIA/mig-parted)."""
    alike: dict[str, list[int]] = {}
    for gpu, slices in enumerate(pool.slices):
        alike.setdefault(str(dict(slices)), []).append(gpu)
    for gpus in alike.values():
        slices = dict(pool.slices[gpus[0]])
        cut = {"mig-devices": slices} if slices else {}
        yield {"devices": "all" if len(alike) == 1 else gpus, "mig-enabled": bool(slices), **cut}


def _sharing(pool: NodePool) -> dict[str, Any]:
    """Renamed, so that no training pod lands on it; more than one is refused, as it would give no more compute."""
    return {
        "timeSlicing": {
            "renameByDefault": True,
            "failRequestsGreaterThanOne": True,
            "resources": [{"name": "nvidia.com/gpu", "replicas": pool.time_slices}],
        }
    }


def _yaml(data: dict[str, Any]) -> str:
    return yaml.safe_dump(data, sort_keys=False)
