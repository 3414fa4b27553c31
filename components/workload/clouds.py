"""Whose cloud's additions a pod needs to use the fabric."""

from bedplate.components.facts import NodePool
from bedplate.components.workload import azure, gke
from bedplate.components.workload.extras import Extras


def extras(fabric: str, pool: NodePool, gpus: int) -> Extras:
    """For a pod with some GPUs of a node of the pool."""
    return azure.extras(pool.topology) if pool.topology else gke.extras(fabric, gpus)
