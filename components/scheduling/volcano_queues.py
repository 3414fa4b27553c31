"""Volcano's queues, one per team, and the domains of the network as HyperNodes."""

from collections.abc import Iterator
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts, TeamFacts, Topology
from bedplate.components.facts.queues import added, quantities
from bedplate.components.scheduling.volcano import VolcanoSection


class VolcanoQueues(Component[VolcanoSection], token="bedplate:scheduling:VolcanoQueues"):
    """Makes queues and HyperNodes once the admission webhook listens."""

    def _declare(self, args: Args[VolcanoSection], child: pulumi.ResourceOptions) -> None:
        for manifest in queue_manifests(args):
            title = f"{manifest['metadata']['name']}-{manifest['kind'].lower()}"
            k8s.apiextensions.CustomResource(title, **manifest, opts=child)


def queue_manifests(args: Args[VolcanoSection]) -> Iterator[dict[str, Any]]:
    """A queue per team, and the HyperNodes of the domains that the profile names."""
    for team in args.facts.teams:
        yield {
            "api_version": "scheduling.volcano.sh/v1beta1",
            "kind": "Queue",
            "metadata": {"name": str(team.queue)},
            "spec": queue(team, args.facts),
        }
    if topology := args.facts.scheduler.topology:
        yield from hyper_nodes(topology, args.section.topology.domains)


def queue(team: TeamFacts, facts: Facts) -> dict[str, Any]:
    """`deserved` comes back by reclaim when the team asks; `capability` ends what it may borrow.

    Both name every resource: one that is missing from `deserved` counts as none deserved.
    """
    everything = added(facts.capacity.values())
    deserved = dict.fromkeys(everything, 0) | team.total
    return {
        "weight": team.share,
        "deserved": quantities(deserved),
        "capability": quantities(everything if team.borrows else deserved),
        "reclaimable": True,
    }


def hyper_nodes(topology: Topology, domains: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """A HyperNode per domain, its nodes found by the narrowest label above the node, and one above them all."""
    if not domains:
        return
    label = topology.levels[-2]
    for domain in domains:
        nodes = {"type": "Node", "selector": {"labelMatch": {"matchLabels": {label: domain}}}}
        yield _hyper_node(domain, 1, label, [nodes])
    members = [{"type": "HyperNode", "selector": {"exactMatch": {"name": domain}}} for domain in domains]
    yield _hyper_node(topology.name, 2, "cluster", members)


def _hyper_node(name: str, tier: int, title: str, members: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "api_version": "topology.volcano.sh/v1alpha1",
        "kind": "HyperNode",
        "metadata": {"name": name},
        "spec": {"tier": tier, "tierName": title, "members": members},
    }
