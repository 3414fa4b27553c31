"""Whom the worst change can reach: the GPUs of the pools it goes to, and in how many rounds."""

from collections.abc import Iterable

from bedplate.components.facts import Facts, NodePool
from bedplate.review.danger import Danger
from bedplate.review.findings import Finding

DISTURBS = (Danger.EVICTS_JOBS, Danger.RELOADS, Danger.REPLACES_NODES)


def reach(found: Iterable[Finding], known: Facts) -> str:
    """In words; empty where nothing that runs on GPUs is disturbed."""
    pools = reached(found, known)
    gpus = sum(pool.total_gpus for pool in pools)
    nodes = sum(pool.nodes for pool in pools)
    return f"up to {gpus} GPUs on {nodes} nodes of {', '.join(pool.name for pool in pools)}" if pools else ""


def reached(found: Iterable[Finding], known: Facts) -> list[NodePool]:
    """The pools whose jobs are disturbed."""
    disturbing = [one for one in found if one.judgement.danger in DISTURBS]
    return [*{pool.name: pool for one in disturbing for pool in _pools(one, known)}.values()]


def _pools(finding: Finding, known: Facts) -> list[NodePool]:
    """Those that the resource is named after; every pool with GPUs where it is named after none."""
    gpus = [pool for pool in known.pools if pool.gpus]
    return [pool for pool in gpus if pool.name in finding.change.resource.name.split("-")] or gpus
