"""Every step of the order, layer upon layer, and the one loop that builds it."""

from typing import Any

import pulumi

from bedplate.components.facts import Args
from bedplate.components.training.workload_contract import WorkloadContract
from bedplate.stacks.facts.derive import facts
from bedplate.stacks.platform import ground, hardware, scheduling, services, workloads
from bedplate.stacks.platform.foundation import founded
from bedplate.stacks.platform.ground import CONTRACT, NODES
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


def deploy(profile: Profile, providers: list[pulumi.ProviderResource]) -> str | None:
    """Build what the profile asks for, each component after those it waits for; the workload contract's name."""
    known = founded(profile, facts(profile))
    built: dict[Step[Any], pulumi.Resource] = {}
    for step in PLATFORM:
        if (section := step.section(profile, known)) is None:
            continue  # absent: never an empty component, which would cut the chain (pulumi/pulumi#8721)
        # A skipped step still orders its neighbours, hence ancestors and not only `after`.
        before = [earlier for earlier in dict.fromkeys(step.ancestors()) if earlier in built] or [NODES]
        waits_for = [built[earlier] for earlier in before if earlier in built]
        opts = pulumi.ResourceOptions(providers=providers, depends_on=waits_for, aliases=list(step.formerly))
        built[step] = step.build(step.name, Args(section, known), opts)
    contract = built.get(CONTRACT)
    return contract.config_map if isinstance(contract, WorkloadContract) else None
