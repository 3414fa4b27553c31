"""Teams: a namespace each, in which their jobs run and the fabric's networks exist."""

import pulumi

from components.facts import Args
from components.namespace import PodSecurity, namespace
from components.section import DnsLabel, Section


class Team(Section):
    """People who share a namespace."""

    name: DnsLabel
    """Also the namespace."""
    rdma: bool = True
    """Their pods use the fabric: they add IPC_LOCK, which only the `privileged` Pod Security level admits."""


class TenancySection(Section):
    """Who uses the cluster."""

    teams: tuple[Team, ...] = ()


class Teams(pulumi.ComponentResource):
    """Makes the teams' namespaces."""

    def __init__(self, name: str, args: Args[TenancySection], opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("bedplate:scheduling:Teams", name, opts=opts)
        for team in args.section.teams:
            namespace(team.name, pod_security(team), pulumi.ResourceOptions(parent=self))
        self.register_outputs({})


def pod_security(team: Team) -> PodSecurity:
    """The strictest level that still admits the team's pods."""
    return "privileged" if team.rdma else "baseline"
