"""Rules about teams: a namespace each that nobody else uses, parts that the pools can give, and limits with room."""

from collections.abc import Iterator
from functools import cache

from bedplate.components.chart import Chart
from bedplate.components.observability.monitoring import ExistingPrometheusSection
from bedplate.components.scheduling.kueue import KueueSection
from bedplate.components.storage.section import HostPathCache
from bedplate.components.tenancy.counts import gib
from bedplate.components.tenancy.teams import Team
from bedplate.stacks.facts.storage import volumes
from bedplate.stacks.profile.charts import installable
from bedplate.stacks.profile.problem import Problem, keyed, problem
from bedplate.stacks.profile.profile import Profile

SYSTEM_PREFIXES = ("kube-", "gpu-operator", "nvidia-", "node-feature-discovery", "default")


@cache
def taken() -> frozenset[str]:
    """Namespaces of what this project can install, present or not, and names of queues."""
    brought = installable(Profile).values()
    homes = {part.namespace for part in brought if isinstance(part, Chart)} - {""}
    return frozenset(homes | {name for part in brought for name in part.takes})


def check_teams(profile: Profile) -> Iterator[Problem]:
    """Every fault of the teams: a namespace each, none of the system's, and only who is there can retire."""
    section, storage = profile.tenancy, profile.storage
    if section is None:
        return
    names = [team.name for team in section.teams]
    site = {profile.monitoring.namespace} if isinstance(profile.monitoring, ExistingPrometheusSection) else set[str]()
    for index, team in enumerate(section.teams):
        if names.index(team.name) != index:
            yield problem("tenancy.name-twice", team.name, index=index)
        if team.name.startswith(SYSTEM_PREFIXES) or team.name in {*taken(), *site, f"{profile.name}-cluster"}:
            yield problem("tenancy.name-of-the-system", team.name, index=index)
        if isinstance(profile.scheduling, KueueSection) and "container_defaults" in team.model_fields_set:
            yield problem("tenancy.defaults-beside-kueue", team.container_defaults.model_dump(), index=index)
    for key, name in keyed("tenancy.retire", section.retire):
        if name not in names:
            yield problem("tenancy.nothing-to-retire", name, key)
    on_nodes = storage is not None and isinstance(storage.cache, HostPathCache)
    if section.confinement == "warn" and on_nodes and not all(team.rdma for team in section.teams):
        yield problem("tenancy.cache-on-nodes", "warn")
    yield from _gpus(profile)


def _gpus(profile: Profile) -> Iterator[Problem]:
    """What teams are promised by number exists, once."""
    teams = profile.teams
    pools = {pool.name: pool.most * pool.hardware.gpus for pool in profile.pools if pool.hardware}
    for key, team in keyed("tenancy.teams", teams):
        for name in team.gpus:
            if not pools.get(name):
                choices = ", ".join(name for name, gpus in pools.items() if gpus) or "none, as no pool has such nodes"
                yield problem("tenancy.no-such-pool", team.gpus[name], key, name=name, known=choices)
    for name, gpus in pools.items():
        promised = sum(team.gpus.get(name, 0) for team in teams)
        if promised > gpus > 0:
            yield problem("tenancy.promised-too-much", len(teams), promised=promised, name=name, gpus=gpus)


OWN_CONFIG_MAPS = 2
"""ConfigMaps of every namespace: the workload contract, and the API server's certificate."""


def check_limits(profile: Profile) -> Iterator[Problem]:
    """Every limit that would refuse the stack's own claims, servers or contract."""
    for at, team in keyed("tenancy.teams", profile.teams):
        for name, needed, why in _needs(profile, team):
            limit = getattr(team.limits, name)
            amount = gib(limit) if isinstance(limit, str) else limit
            if amount is not None and amount < needed:
                shown = f"{needed}Gi" if name == "storage" else str(needed)
                yield problem("tenancy.limit-too-low", limit, at=at, field=FIELDS[name], why=why, shown=shown)


FIELDS = {"claims": "claims", "storage": "storage", "pods": "pods", "services": "services", "config_maps": "configMaps"}


def _needs(profile: Profile, team: Team) -> Iterator[tuple[str, int, str]]:
    mine = [gib(volume.size) for volume in volumes(profile).values() if team.name in volume.namespaces]
    servers = [server for server in profile.servers if server.namespace == team.name]
    yield "claims", len(mine), "the claims of storage.volumes"
    yield "storage", sum(mine), "the claims of storage.volumes"
    yield "pods", sum(server.most * server.cut.nodes for server in servers), "the servers at their highest load"
    yield "services", len(servers), "the servers"
    yield "config_maps", OWN_CONFIG_MAPS, "what the stack and Kubernetes write"
