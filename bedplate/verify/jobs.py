"""What runs on the cluster to check it: jobs of a team, in its queue and from its contract, at the lowest priority.

Each is pinned to the nodes that it checks and ends by itself: a hung all-reduce is ended inside its pods, so that they
and their logs stay to be read. Nothing here is sent anywhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from bedplate.catalog.gpus import inside
from bedplate.components.digest import digest
from bedplate.components.facts import Facts, NodePool
from bedplate.components.facts.queues import HOSTNAME
from bedplate.components.training.render import manifests
from bedplate.components.verification.nccl import TOLERANCE, VerificationSection, declared, job, script, told_their_node
from bedplate.components.workload.job import TopologyRequest, TrainingJob
from bedplate.components.workload.kinds import Kind
from bedplate.stacks.jobs.checks import check_job
from bedplate.stacks.profile.problem import Problem
from bedplate.verify import node_log

RUN_LABEL = "bedplate/verification"
PRIORITY = "best-effort"
HUNG_AFTER = 900
"""Seconds for an all-reduce, whose pods may wait for one another's image before it."""
KEPT = 3600
"""Seconds that a finished job stays where nobody took it away."""
ENDING = f"""timeout -k 10 {HUNG_AFTER} "$@"; status=$?
[ $status -ne 124 ] || echo "== hung"
exit $status
"""
ALONE = f"{node_log.SCRIPT}[ $# -gt 0 ] || exit 0\n{ENDING}"


@dataclass(frozen=True)
class Run:
    """One job and what comes with it."""

    name: str
    kind: Kind
    namespace: str
    objects: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Desk:
    """What all jobs of one verification share."""

    facts: Facts
    section: VerificationSection
    run: str
    """Sets the names of this run's jobs apart from those of another."""

    def on_node(self, pool: NodePool, host: str) -> Run:
        """All GPUs of one node: what they say, and an all-reduce among them where NVLink joins them."""
        words = ("sh", "-c", ALONE, "sh", *self._inside(pool))
        return self._pinned(self._job(pool, words, 1), [host])

    def between(self, pool: NodePool, hosts: Sequence[str]) -> Run:
        """An all-reduce over whole nodes."""
        return self._pinned(self.job_between(pool, len(hosts)), hosts)

    def job_between(self, pool: NodePool, nodes: int) -> TrainingJob:
        """The job before it is pinned; its gate is that of so many nodes."""
        section = self.section.model_copy(update={"nodes": nodes, "pool": pool.name})
        return self._job(pool, ("sh", "-c", ENDING, "sh", *job(section, self.facts).command), nodes)

    def refused(self, pool: NodePool, nodes: int) -> list[Problem]:
        """Why this cluster would not start such a job."""
        return list(check_job(self.job_between(pool, nodes), self.facts))

    def _inside(self, pool: NodePool) -> tuple[str, ...]:
        if not joined(pool):
            return ()
        floor = round(inside(pool.gpu_product, pool.gpus, pool.nvlink_domain) * TOLERANCE, 1)
        sizes = ("--floor", str(floor), "--largest", str(self.section.largest_gib * 2**30))
        return ("torchrun", "--no-python", "python", "-c", script(), *sizes, "--inside", *declared(self.facts))

    def _job(self, pool: NodePool, words: tuple[str, ...], nodes: int) -> TrainingJob:
        written = job(self.section.model_copy(update={"nodes": nodes, "pool": pool.name}), self.facts)
        anywhere = TopologyRequest() if self.facts.scheduler.topology else None
        lowest = {"priority": PRIORITY} if PRIORITY in self.facts.priority_classes else {}
        return written.model_copy(update={"command": words, "topology": anywhere, **lowest})

    def _pinned(self, training_job: TrainingJob, hosts: Sequence[str]) -> Run:
        name = f"verify-{self.run}-{digest(sorted(hosts), len(hosts))[:8]}"
        named = training_job.model_copy(update={"name": name, "kind": "Job" if len(hosts) == 1 else training_job.kind})
        # Without its disruption budget: a drain need not wait for a check.
        parts = [part for part in manifests(named, self.facts) if part["kind"] != "PodDisruptionBudget"]
        made = [self.marked(pinned(part, hosts)) for part in parts]
        return Run(name, named.kind, named.team, tuple(made))

    def marked(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """So that a run's objects are found again."""
        labels = {**manifest["metadata"].get("labels", {}), RUN_LABEL: self.run}
        return {**manifest, "metadata": {**manifest["metadata"], "labels": labels}}


def joined(pool: NodePool) -> bool:
    """NVLink joins the GPUs of a node, so that an all-reduce among them proves something."""
    return not pool.sliced and 1 < pool.gpus <= pool.nvlink_domain


def pinned(manifest: Mapping[str, Any], hosts: Sequence[str]) -> dict[str, Any]:
    """An object whose pods, wherever their template stands, run on these hosts alone, once, and know their node."""
    return cast("dict[str, Any]", told_their_node(_pinned(dict(manifest), hosts)))


def _pinned(value: object, hosts: Sequence[str]) -> object:
    if isinstance(value, list):
        return [_pinned(item, hosts) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    replaced = {key: _pinned(item, hosts) for key, item in cast("dict[str, Any]", value).items()}
    if "containers" in replaced:
        replaced["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": _only(hosts)}}
    if "backoffLimit" in replaced:
        replaced |= {"backoffLimit": 0, "ttlSecondsAfterFinished": KEPT}
    return replaced


def _only(hosts: Sequence[str]) -> dict[str, Any]:
    match = {"key": HOSTNAME, "operator": "In", "values": sorted(hosts)}
    return {"nodeSelectorTerms": [{"matchExpressions": [match]}]}
