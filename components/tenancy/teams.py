"""Teams: a namespace each, in which their jobs run and the fabric's networks exist."""

from collections.abc import Mapping
from typing import Literal

import pulumi
from pydantic import Field, NonNegativeInt, PositiveInt

from bedplate.components.component import Component
from bedplate.components.facts import Args, Facts
from bedplate.components.facts.queues import KUEUE_MANAGED
from bedplate.components.namespace import PodSecurity, namespace
from bedplate.components.section import Caller, DnsLabel, Network, Quantity, Seconds, Section, Size
from bedplate.components.tenancy.counts import TeamCounts
from bedplate.components.workload.contract import QUEUE_KEYS

REGISTRY_CREDENTIALS = "registryCredentials"
"""A secret of the site: the content of a `.dockerconfigjson`."""
PriorityClass = Literal["inference", "training", "best-effort"]


class ContainerDefaults(Section):
    """What a container gets that asks for nothing; jobs of ours ask for all they need. Without meaning beside Kueue."""

    cpu: Quantity = "1"
    memory: Size = "2Gi"


class Team(Section):
    """People who share a namespace."""

    name: DnsLabel
    """Also the namespace."""
    group: str = Field(default="", min_length=1)
    """Group of the identity provider whose members may submit and read here; by default the team's name."""
    rdma: bool = True
    """Their pods use the fabric: they add IPC_LOCK, which only the `privileged` Pod Security level admits."""
    share: PositiveInt = 1
    """Their part of every pool, relative to the other teams'; whole GPUs, rounded so that none is left over."""
    gpus: Mapping[str, NonNegativeInt] = Field(default_factory=dict)
    """GPUs by pool, instead of a part of it."""
    borrow: bool = True
    """They may use what other teams leave idle, until those want it back."""
    priority: PriorityClass = "training"
    """PriorityClass of their jobs unless a job names another."""
    container_defaults: ContainerDefaults = ContainerDefaults()
    """Requests of containers that state none; limits they have none but their own. Beside Kueue, which would count such
    a container wrongly, each states its own."""
    image_pull_secret: bool = False
    """Pull their images with the credentials in the secret `registryCredentials`."""
    egress: tuple[Network, ...] = ()
    """Addresses outside the cluster that their pods may reach, such as 0.0.0.0/0 for public model hubs, or ::/0."""
    ingress_from: tuple[Caller, ...] = ()
    """Who may call their pods: namespaces, such as a gateway's, and addresses, such as a load balancer's subnets."""

    limits: TeamCounts = TeamCounts()
    """Objects and storage that their namespace may hold, instead of what follows from the cluster's size."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Configuration keys that must be set beside the profile."""
        return (REGISTRY_CREDENTIALS,) if self.image_pull_secret else ()


class TenancySection(Section):
    """Who uses the cluster."""

    teams: tuple[Team, ...] = ()
    retire: tuple[DnsLabel, ...] = ()
    """Teams that may be deleted with all that is in their namespaces: name them here and deploy, then remove them from
    `teams`. Without it no deployment deletes a team."""
    leave_timeout: Seconds = 600
    """How long all that is in a namespace may take to go when its team is deleted, before it is said what stays."""
    inline_drivers: tuple[str, ...] = ()
    """CSI drivers, beside those of secrets, certificates and GKE's buckets, by which a pod may mount a volume that it
    writes down itself: such a driver mounts for anybody whatever share he names."""
    longest_grace: Seconds = 600
    """Seconds that a pod may take to end once it is told to, at most. Until then it has its GPUs, also those that the
    queue has given to another team. Our jobs have 120, and a server of answers of 8,192 tokens 420; more is for sites
    whose checkpoints take longer to write."""
    confinement: Literal["deny", "warn"] = "deny"
    """What the API server does with a pod that would take more of its node than a team may, or GPUs past its queue:
    refuse it, or only warn, for a site that has yet to move such pods elsewhere (docs/teams.md)."""


class Teams(Component[TenancySection], token="bedplate:tenancy:Teams"):
    """Makes the teams' namespaces."""

    def _declare(self, args: Args[TenancySection], _: pulumi.ResourceOptions) -> None:
        for team in args.section.teams:
            retires = team.name in args.facts.retired
            mine = pulumi.ResourceOptions(parent=self, protect=not retires)
            level = pod_security(team, args.facts)
            namespace(team.name, level, mine, namespace_labels(args), default_queue(args, team))
            if retires:
                pulumi.log.warn(losses(args.facts, team.name))


def losses(facts: Facts, team: str) -> str:
    """What a deployment without the team will delete."""
    claims = [volume.name for volume in facts.volumes.values() if team in volume.namespaces]
    data = f", among them the claims {', '.join(claims)}" if claims else ""
    return (
        f"team {team} retires: a deployment without it in tenancy.teams deletes namespace {team} with every job, "
        f"server, secret and claim in it{data}"
    )


def pod_security(team: Team, facts: Facts) -> PodSecurity:
    """The strictest level that admits the team's pods: IPC_LOCK and folders of the node `privileged` alone does."""
    return "privileged" if team.rdma or facts.cache_folder else "baseline"


def namespace_labels(args: Args[TenancySection]) -> dict[str, str]:
    """Kueue looks after a namespace that says so, and no other."""
    return dict(KUEUE_MANAGED) if args.facts.scheduler.kind == "kueue" else {}


def default_queue(args: Args[TenancySection], team: Team) -> dict[str, str]:
    """Volcano puts a PodGroup that names no queue into its namespace's, and else into one that everybody may use."""
    return {QUEUE_KEYS["volcano"]: team.name} if args.facts.scheduler.kind == "volcano" else {}
