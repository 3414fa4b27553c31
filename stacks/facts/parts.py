"""What keeps pods on several nodes of a pool from meeting over the fabric: one answer for jobs and for servers."""

from bedplate.components.facts import Fabric, NodePool

WHOLE_NICS = "host-device gives whole NICs by rail, and these may not be beside the GPUs that a part of a node gets"


def apart(fabric: Fabric, pool: NodePool, gpus: int) -> str | None:
    """Why pods with so many GPUs of a node each would not meet, in words; None: they do."""
    if not pool.nics:
        return f"pool {pool.name} is outside the {fabric.kind} fabric, so its nodes would talk over TCP"
    return None if gpus == pool.gpus else _in_parts(fabric, pool, gpus)


def _in_parts(fabric: Fabric, pool: NodePool, gpus: int) -> str | None:
    if fabric.env_file:
        return f"{fabric.kind} gives its interfaces to one pod with all {pool.gpus} GPUs"
    if pool.rack:
        return f"NVLink joins its nodes, and a node has one IMEX channel, for a pod with all {pool.gpus} GPUs"
    if fabric.exposure == "host-device":
        return WHOLE_NICS
    if not fabric.resources(pool, gpus):
        return f"{gpus} of {pool.gpus} GPUs have no NIC of their own among {pool.nics}"
    return None
