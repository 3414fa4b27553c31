"""What a namespace may hold at most, and what a container gets that asks for nothing."""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from bedplate.components.component import Component
from bedplate.components.facts import Amounts, Args, Facts, TeamFacts
from bedplate.components.facts.queues import added, quantities
from bedplate.components.tenancy.access import made
from bedplate.components.tenancy.counts import counts
from bedplate.components.tenancy.teams import Team, TenancySection


class TeamLimits(Component[TenancySection], token="bedplate:tenancy:TeamLimits"):
    """A ResourceQuota and a LimitRange for each team."""

    def _declare(self, args: Args[TenancySection], child: pulumi.ResourceOptions) -> None:
        known = {team.name: team for team in args.facts.teams}
        everything = added(args.facts.capacity.values())
        for team in args.section.teams:
            place = k8s.meta.v1.ObjectMetaArgs(name="team", namespace=team.name)
            numbers = counts(team.limits, team.name, args.facts, made(args.facts))
            hard = most(known[team.name], everything, args.facts) | numbers
            k8s.core.v1.ResourceQuota(f"{team.name}-quota", metadata=place, spec={"hard": hard}, opts=child)
            if limits := container_defaults(team, args.facts):
                k8s.core.v1.LimitRange(f"{team.name}-defaults", metadata=place, spec={"limits": limits}, opts=child)


def most(team: TeamFacts, everything: Amounts, facts: Facts) -> dict[str, str]:
    """The team's part; with a scheduler that lends, everything, because the scheduler then keeps the parts.

    A quota below what may be borrowed would refuse the pods of jobs that the scheduler has admitted. Extended
    resources are counted by their requests only (Kubernetes, resource quotas), hence the prefix.
    """
    lends = facts.scheduler.gangs and team.borrows
    amounts = everything if lends else dict.fromkeys(everything, 0) | team.total
    return {f"requests.{name}": amount for name, amount in quantities(amounts).items()}


def container_defaults(team: Team, facts: Facts) -> list[Any]:
    """A quota of CPU and memory refuses pods that name neither, so those ask for a little of both; not beside Kueue.

    No default limits: the quota does not count them, and one below what a container asks for refuses its pod. Kueue
    would count a container with limits alone as the default (`amount_guards`).
    """
    if facts.scheduler.kind == "kueue":
        return []
    return [{"type": "Container", "default_request": team.container_defaults.model_dump()}]
