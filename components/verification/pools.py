"""The nodes have what the profile says: GPUs or their slices, devices of the fabric, huge pages, on enough nodes.

An operator's own word proves less. ClusterPolicy is `ready` where no node is labelled or no operand runs, and may be
what the last release left; NicClusterPolicy counts pods; virtual functions have no word at all. So this looks at the
nodes themselves, and everything that puts something on them waits for it.
"""

from typing import Any

import pulumi

from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts, NodePool
from bedplate.components.facts.queues import HOSTNAME
from bedplate.components.operators import gpu_operator, network_operator
from bedplate.components.section import Seconds, Section
from bedplate.components.verification.proof import NodesProof

PLUGINS = 1800
"""Seconds for device plugins to find all devices, on however many nodes: they do it side by side."""
TURN = 900
"""Seconds for a node to drain, restart with its virtual functions, and be Ready."""


class ReadinessSection(Section):
    """How long nodes may take to have all that the profile says of them, once their operators are content."""

    timeout: Seconds | None = None
    """By default 1800 s, and with virtual functions 900 s more for each time that nodes are drained for them
    (`networkOperator.maxUnavailable`): a reboot of a large node takes 10 to 15 minutes."""


class PoolsReady(Component[ReadinessSection], token="bedplate:verification:PoolsReady"):
    """Waits until as many nodes of each pool are whole as it requires, and names those that are not."""

    def _declare(self, args: Args[ReadinessSection], child: pulumi.ResourceOptions) -> None:
        desired = {
            "context": args.facts.context,
            "pools": [required_of(args.facts, pool) for pool in device_pools(args.facts)],
            "operators": operators(args.facts),
            "guards": args.facts.foundation,
            "timeout": args.section.timeout or patience(args.facts),
        }
        NodesProof("pools-ready", desired, child)


def patience(facts: Facts) -> int:
    """Seconds that the nodes may take, by how many of them take their turn."""
    return PLUGINS + TURN * facts.turns


def device_pools(facts: Facts) -> list[NodePool]:
    """Pools that hand out more than CPU and memory, and owe nodes."""
    return [pool for pool in facts.pools if pool.required and on_a_node(facts, pool)]


def required_of(facts: Facts, pool: NodePool) -> dict[str, Any]:
    """What is asked of a pool."""
    return {
        "name": pool.name,
        "selector": dict(pool.selector),
        "nodes": pool.bounds[0],
        "required": pool.required,
        "each": on_a_node(facts, pool),
        "labels": places(facts, pool),
    }


def places(facts: Facts, pool: NodePool) -> list[str]:
    """Labels that say where a node is: Kueue leaves one out that lacks any level of its flavor's topology.

    Clouds write theirs, NVIDIA/topograph or the site those of its own machines.
    """
    topology = facts.network_of(pool) if facts.scheduler.kind == "kueue" else None
    return [level for level in topology.levels if level != HOSTNAME] if topology else []


def on_a_node(facts: Facts, pool: NodePool) -> dict[str, str]:
    """Resources that every node of the pool must have, at least."""
    elsewhere = facts.fabric.exposure == "shared" and "networkOperator" not in facts.has
    # How many pods may share a device is for whoever runs its plugin to say.
    some = dict.fromkeys(pool.devices, 1) if elsewhere else {}
    pages = {"hugepages-2Mi": facts.fabric.hugepages} if pool.nics and facts.fabric.hugepages else {}
    return {name: str(count) for name, count in (pool.extended_resources | some).items()} | pages


def operators(facts: Facts) -> list[dict[str, Any]]:
    """Policies whose operands must run the images that the policy names, on all nodes but the spare ones."""
    spare = sum(pool.spare for pool in facts.pools)
    known = {
        "gpuOperator": ("nvidia.com/v1/clusterpolicies", gpu_operator.CHART.namespace),
        "networkOperator": ("mellanox.com/v1alpha1/nicclusterpolicies", network_operator.CHART.namespace),
    }
    return [
        {"policies": f"/apis/{kind}", "operands": f"/apis/apps/v1/namespaces/{home}/daemonsets", "spare": spare}
        for section, (kind, home) in known.items()
        if section in facts.has
    ]
