"""Every step of the order, layer upon layer, and the one loop that builds it."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

import pulumi

from bedplate.components.digest import digest
from bedplate.components.facts import Args, Facts
from bedplate.components.network import efa_device_plugin
from bedplate.components.operators import gpu_operator, nic_cluster_policy
from bedplate.components.training.workload_contract import WorkloadContract
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.platform import ground, hardware, scheduling, services, workloads
from bedplate.stacks.platform.cluster import Cluster
from bedplate.stacks.platform.ground import CONTRACT, NODES
from bedplate.stacks.platform.site import woven
from bedplate.stacks.platform.step import Step
from bedplate.stacks.profile.profile import Profile

PLATFORM: tuple[Step[Any], ...] = (
    *ground.STEPS,
    *hardware.STEPS,
    *scheduling.STEPS,
    *services.STEPS,
    *workloads.STEPS,
)
"""A step that waits for nobody waits for the nodes."""


def deploy(profile: Profile, providers: list[pulumi.ProviderResource]) -> Cluster:
    """Build what the profile asks for, each component after those it waits for."""
    derived = founded(profile)
    built: dict[str, pulumi.Resource] = {}
    steps = woven(PLATFORM, profile)
    for step in steps.values():
        if (section := step.section(profile, derived)) is None:
            continue  # absent: never an empty component, which would cut the chain (pulumi/pulumi#8721)
        # A skipped step still orders its neighbours, hence ancestors and not only `after`.
        before = [name for name in dict.fromkeys(ancestor.name for ancestor in step.ancestors()) if name in built]
        waits_for = [built[name] for name in before or [NODES.name] if name in built]
        opts = pulumi.ResourceOptions(providers=providers, depends_on=waits_for, aliases=list(step.formerly))
        built[step.name] = step.build(step.name, Args(section, derived), opts)
    contract = built.get(CONTRACT.name)
    name = contract.config_map if isinstance(contract, WorkloadContract) else None
    return Cluster(name, tuple(providers), steps, built)


def founded(profile: Profile) -> Facts:
    """Its facts with the digest of all parts that this cluster has; only what deploys or proves it asks for that."""
    derived = facts(profile)
    there = list(parts(profile, derived))
    return replace(derived, foundation=digest(there))


def parts(profile: Profile, facts: Facts) -> Iterator[object]:
    """Of who brings the driver, of the fabric, and of each operator."""
    yield facts.node_os, asdict(facts.ownership), facts.gpu_direct, asdict(facts.fabric)
    if profile.gpu_operator:
        yield gpu_operator.guards(Args(profile.gpu_operator, facts))
    if profile.network_operator:
        yield nic_cluster_policy.guards(Args(profile.network_operator, facts))
    if plugin := profile.efa_device_plugin:
        args = Args(plugin, facts)
        yield efa_device_plugin.CHART.guards(args, efa_device_plugin.helm_values(args))
