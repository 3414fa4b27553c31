"""Whom the worst change can reach: the GPUs of the pools it goes to, and in how many rounds."""

from collections.abc import Iterable

from bedplate.components.facts import Facts, NodePool
from bedplate.review.danger import Danger
from bedplate.review.findings import Finding

DISTURBS = (Danger.EVICTS_JOBS, Danger.RELOADS, Danger.REPLACES_NODES)


def reach(findings: Iterable[Finding], facts: Facts) -> str:
    """In words; empty where nothing that runs on GPUs is disturbed."""
    pools = reached(findings, facts)
    gpus = sum(pool.total_gpus for pool in pools)
    nodes = sum(pool.nodes for pool in pools)
    return f"up to {gpus} GPUs on {nodes} nodes of {', '.join(pool.name for pool in pools)}" if pools else ""


def reached(findings: Iterable[Finding], facts: Facts) -> list[NodePool]:
    """The pools whose jobs are disturbed."""
    disturbing = [finding for finding in findings if finding.judgement.danger in DISTURBS]
    return [*{pool.name: pool for finding in disturbing for pool in _pools(finding, facts)}.values()]


def _pools(finding: Finding, facts: Facts) -> list[NodePool]:
    """Those that the resource is named after; every pool with GPUs where it is named after none."""
    gpus = [pool for pool in facts.pools if pool.gpus]
    return [pool for pool in gpus if pool.name in finding.change.resource.name.split("-")] or gpus
