"""KAI's queues, a parent for the cluster and a leaf per team, and its topology."""

import re
from collections.abc import Iterator
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.component import Component
from bedplate.components.facts import Amounts, Args, Facts, TeamFacts
from bedplate.components.facts.pools import GPU
from bedplate.components.facts.queues import added
from bedplate.components.section import Section

UNLIMITED = -1
MIG = re.compile(r"nvidia\.com/mig-(\d+)g\.\d+gb")
MEBIBYTE = 1.048576
"""In megabytes, in which KAI counts memory."""


class KaiQueues(Component[Section], token="bedplate:scheduling:KaiQueues"):
    """Makes queues and topology once KAI's own webhooks answer."""

    def _declare(self, args: Args[Section], child: pulumi.ResourceOptions) -> None:
        for manifest in queue_manifests(args.facts):
            title = f"{manifest['metadata']['name']}-{manifest['kind'].lower()}"
            k8s.apiextensions.CustomResource(title, **manifest, opts=child)


def queue_manifests(facts: Facts) -> Iterator[dict[str, Any]]:
    """Only leaves take pods, so the teams' queues hang below one that holds the whole cluster."""
    if topology := facts.scheduler.topology:
        levels = [{"nodeLabel": level} for level in topology.levels]
        yield _object("kai.scheduler/v1alpha1", "Topology", topology.name, {"levels": levels})
    whole = resources(added(facts.capacity.values()), share=1, borrows=False)
    yield _queue(parent(facts), {"resources": whole})
    for team in facts.teams:
        yield _queue(str(team.queue), leaf(team, facts))


def parent(facts: Facts) -> str:
    """Name of the queue above the teams'."""
    return f"{facts.cluster}-cluster"


def leaf(team: TeamFacts, facts: Facts) -> dict[str, Any]:
    """The team's quota, and by its share what others leave idle."""
    parts = resources(team.total, share=team.share, borrows=team.borrows)
    return {"parentQueue": parent(facts), "resources": parts}


def gpus(amounts: Amounts) -> int:
    """As KAI counts them: a MIG slice as its number of compute slices, and what is shared by time not at all.

    (kai-scheduler/KAI-Scheduler, ExtractGpuAndMemoryFromMigResourceName)
    """
    slices = ((MIG.fullmatch(name), amount) for name, amount in amounts.items())
    return amounts.get(GPU, 0) + sum(int(found[1]) * amount for found, amount in slices if found)


def resources(amounts: Amounts, *, share: int, borrows: bool) -> dict[str, Any]:
    """KAI counts GPUs, CPUs in thousandths and memory in megabytes; devices of the fabric it leaves to the node."""
    counts = {
        "gpu": gpus(amounts),
        "cpu": amounts.get("cpu", 0) * 1000,
        "memory": int(amounts.get("memory", 0) * MEBIBYTE),
    }
    return {
        name: {"quota": amount, "limit": UNLIMITED if borrows else amount, "overQuotaWeight": share}
        for name, amount in counts.items()
    }


def _queue(name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return _object("scheduling.run.ai/v2", "Queue", name, spec)


def _object(api: str, kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"api_version": api, "kind": kind, "metadata": {"name": name}, "spec": spec}
