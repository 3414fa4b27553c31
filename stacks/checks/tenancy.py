"""Rules about teams: a namespace each that nobody else uses, parts that the pools can give, and limits with room."""

from collections.abc import Iterator
from functools import cache
from itertools import chain

from bedplate.components.chart import Chart
from bedplate.components.observability.monitoring import ExistingPrometheusSection
from bedplate.components.scheduling.kueue import KueueSection
from bedplate.components.storage.section import HostPathCache
from bedplate.components.tenancy.counts import gib
from bedplate.components.tenancy.teams import Team
from bedplate.stacks.facts.storage import volumes
from bedplate.stacks.profile.charts import installable
from bedplate.stacks.profile.problem import Problem, keyed
from bedplate.stacks.profile.profile import Profile

SYSTEM_PREFIXES = ("kube-", "gpu-operator", "nvidia-", "node-feature-discovery", "default")


@cache
def taken() -> frozenset[str]:
    """Namespaces of what this project can install, present or not, and names of queues."""
    brought = installable(Profile).values()
    homes = {one.namespace for one in brought if isinstance(one, Chart)} - {""}
    return frozenset(homes | {name for one in brought for name in one.takes})


def check_teams(profile: Profile) -> Iterator[Problem]:
    """Every fault of the teams."""
    if profile.tenancy:
        yield from chain(_names(profile), _retired(profile), _gpus(profile), _confined(profile), _counted(profile))


def _names(profile: Profile) -> Iterator[Problem]:
    """A namespace each, and none of the system's."""
    names = [team.name for team in profile.teams]
    site = {profile.monitoring.namespace} if isinstance(profile.monitoring, ExistingPrometheusSection) else set[str]()
    for index, name in enumerate(names):
        key = f"tenancy.teams[{index}].name"
        if names.index(name) != index:
            yield Problem(key, name, "another team has this name", "give each team its own")
        if name.startswith(SYSTEM_PREFIXES) or name in {*taken(), *site, f"{profile.name}-cluster"}:
            yield Problem(key, name, "a namespace or queue of the system", "use another name")


def _retired(profile: Profile) -> Iterator[Problem]:
    """Only who is there can retire."""
    names = [team.name for team in profile.teams]
    for key, name in keyed("tenancy.retire", profile.tenancy.retire if profile.tenancy else ()):
        if name not in names:
            fix = "remove it here too once the team is gone; or correct the name"
            yield Problem(key, name, "no such team", fix)


def _gpus(profile: Profile) -> Iterator[Problem]:
    """What teams are promised by number exists, once."""
    teams = profile.teams
    pools = {pool.name: pool.most * pool.hardware.gpus for pool in profile.pools if pool.hardware}
    for key, team in keyed("tenancy.teams", teams):
        for name in team.gpus:
            if not pools.get(name):
                known = ", ".join(name for name, gpus in pools.items() if gpus) or "none, as no pool has such nodes"
                reason = "no pool of this name has nodes with GPUs"
                yield Problem(f"{key}.gpus.{name}", team.gpus[name], reason, f"use one of: {known}")
    for name, gpus in pools.items():
        promised = sum(team.gpus.get(name, 0) for team in teams)
        if promised > gpus > 0:
            reason = f"the teams are promised {promised} GPUs of pool {name}, which has {gpus}"
            yield Problem("tenancy.teams", len(teams), reason, f"lower their gpus.{name}, or use share")


def _confined(profile: Profile) -> Iterator[Problem]:
    """A cache on the nodes lifts the Pod Security level of teams that would have a strict one."""
    section, storage = profile.tenancy, profile.storage
    on_nodes = storage is not None and isinstance(storage.cache, HostPathCache)
    if section and section.confinement == "warn" and on_nodes and not all(team.rdma for team in section.teams):
        reason = "with storage.cache in a folder of the nodes only the policies keep a team with `rdma: false` off them"
        yield Problem("tenancy.confinement", "warn", reason, "use deny, or a storage.cache of kind storage-class")


def _counted(profile: Profile) -> Iterator[Problem]:
    """Kueue would count a container with limits alone as the default."""
    if profile.tenancy is None or not isinstance(profile.scheduling, KueueSection):
        return
    for at, team in keyed("tenancy.teams", profile.tenancy.teams):
        if "container_defaults" in team.model_fields_set:
            reason = "beside Kueue every container states its own: it would count one with limits alone as the default"
            key = f"{at}.containerDefaults"
            yield Problem(key, team.container_defaults.model_dump(), reason, "remove it")


OWN_CONFIG_MAPS = 2
"""ConfigMaps of every namespace: the workload contract, and the API server's certificate."""


def check_limits(profile: Profile) -> Iterator[Problem]:
    """Every limit that would refuse the stack's own claims, servers or contract."""
    for at, team in keyed("tenancy.teams", profile.teams):
        for name, needed, why in _needs(profile, team):
            limit = getattr(team.limits, name)
            stated = gib(limit) if isinstance(limit, str) else limit
            if stated is not None and stated < needed:
                key = f"{at}.limits.{FIELDS[name]}"
                shown = f"{needed}Gi" if name == "storage" else str(needed)
                yield Problem(key, limit, f"{why} in this namespace need {shown}", f"use {shown} or more")


FIELDS = {"claims": "claims", "storage": "storage", "pods": "pods", "services": "services", "config_maps": "configMaps"}


def _needs(profile: Profile, team: Team) -> Iterator[tuple[str, int, str]]:
    mine = [gib(one.size) for one in volumes(profile).values() if team.name in one.namespaces]
    servers = [server for server in profile.servers if server.namespace == team.name]
    yield "claims", len(mine), "the claims of storage.volumes"
    yield "storage", sum(mine), "the claims of storage.volumes"
    yield "pods", sum(server.most * server.cut.pipeline for server in servers), "the servers at their highest load"
    yield "services", len(servers), "the servers"
    yield "config_maps", OWN_CONFIG_MAPS, "what the stack and Kubernetes write"
