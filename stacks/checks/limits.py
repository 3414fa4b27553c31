"""Rules about a team's `limits`: what the stack itself makes in the namespace has room."""

from collections.abc import Iterator

from bedplate.components.tenancy.counts import gib
from bedplate.components.tenancy.teams import Team
from bedplate.stacks.facts.storage import volumes
from bedplate.stacks.profile.problem import Problem
from bedplate.stacks.profile.profile import Profile

OWN_DATA = 2
"""ConfigMaps of every namespace: the workload contract, and the API server's certificate."""


def check_limits(profile: Profile) -> Iterator[Problem]:
    """Every limit that would refuse the stack's own claims, servers or contract."""
    for index, team in enumerate(profile.tenancy.teams if profile.tenancy else ()):
        for name, needed, why in _needs(profile, team):
            limit = getattr(team.limits, name)
            stated = gib(limit) if isinstance(limit, str) else limit
            if stated is not None and stated < needed:
                key = f"tenancy.teams[{index}].limits.{FIELDS[name]}"
                shown = f"{needed}Gi" if name == "storage" else str(needed)
                yield Problem(key, limit, f"{why} in this namespace need {shown}", f"use {shown} or more")


FIELDS = {"claims": "claims", "storage": "storage", "pods": "pods", "services": "services", "config_maps": "configMaps"}


def _needs(profile: Profile, team: Team) -> Iterator[tuple[str, int, str]]:
    mine = [gib(one.size) for one in volumes(profile).values() if team.name in one.namespaces]
    servers = [one for one in (profile.serving.servers if profile.serving else ()) if one.namespace == team.name]
    yield "claims", len(mine), "the claims of storage.volumes"
    yield "storage", sum(mine), "the claims of storage.volumes"
    yield "pods", sum(one.most * one.cut.pipeline for one in servers), "the servers at their highest load"
    yield "services", len(servers), "the servers"
    yield "config_maps", OWN_DATA, "what the stack and Kubernetes write"
