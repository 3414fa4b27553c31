"""Whose cloud's additions a pod needs to use the fabric."""

from components.facts import NodePool
from components.workload import azure, gke
from components.workload.extras import Extras


def extras(fabric: str, pool: NodePool, gpus: int) -> Extras:
    """For a pod with some GPUs of a node of the pool."""
    return azure.extras(pool.topology) if pool.topology else gke.extras(fabric, gpus)
