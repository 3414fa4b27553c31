"""The ground: nodes, what is there already, people, and the kinds that monitors are made of.

Whoever makes a ServiceMonitor waits for PROMETHEUS_CRDS.
"""

from typing import Any

from bedplate.components.existing import Existing
from bedplate.components.facts import Facts
from bedplate.components.observability import prometheus_crds
from bedplate.components.observability.prometheus_stack import PrometheusStackSection
from bedplate.components.section import Section
from bedplate.components.tenancy import (
    access,
    confinement,
    isolation,
    limits,
    priorities,
    security_contexts,
    teams,
)
from bedplate.components.training import workload_contract
from bedplate.components.verification import admission
from bedplate.stacks.platform.step import Step
from bedplate.stacks.profile.cloud import cloud_nodes
from bedplate.stacks.profile.profile import Profile


def there_already(profile: Profile, facts: Facts) -> Section | None:
    """The sections that speak of what is there already, if any does."""
    spoken = (profile.existing, profile.storage, profile.monitoring, profile.serving)
    return next((section for section in spoken if section), None) if facts.existing else None


def monitor_kinds(profile: Profile, _: Facts) -> prometheus_crds.PrometheusCrdsSection | None:
    """The CRDs' part of our own monitoring."""
    return profile.monitoring.crds if isinstance(profile.monitoring, PrometheusStackSection) else None


def with_teams(profile: Profile, facts: Facts) -> teams.TenancySection | None:
    """Tenancy, if there are teams in it."""
    return profile.tenancy if facts.teams else None


def with_gpus(profile: Profile, facts: Facts) -> teams.TenancySection | None:
    """Tenancy, if there are teams in it and GPUs for them."""
    return profile.tenancy if facts.teams and facts.gpu_pools else None


def bound(profile: Profile, facts: Facts) -> teams.TenancySection | None:
    """Tenancy, if its pods need more than the platform's own security contexts allow."""
    return profile.tenancy if facts.platform == "openshift" and security_contexts.bound(facts) else None


NODES = Step("nodes", cloud_nodes, lambda p, _: p.own_cloud)
EXISTING = Step("existing", Existing, there_already)
PROMETHEUS_CRDS = Step("prometheus-crds", prometheus_crds.PrometheusCrds, monitor_kinds, after=(EXISTING,))
PRIORITIES = Step("priorities", priorities.Priorities, lambda p, _: p.tenancy)
TEAMS = Step("teams", teams.Teams, with_teams)
LIMITS = Step("team-limits", limits.TeamLimits, with_teams, after=(TEAMS,))
CONFINEMENT = Step("team-confinement", confinement.Confinement, with_teams, after=(TEAMS,))
ACCESS = Step("team-access", access.TeamAccess, with_teams, after=(CONFINEMENT,))  # nobody comes in before it
ISOLATION = Step("team-isolation", isolation.TeamIsolation, with_teams, after=(TEAMS,))
SECURITY_CONTEXTS = Step("security-contexts", security_contexts.SecurityContexts, bound, after=(TEAMS,))
CONTRACT = Step("workload-contract", workload_contract.WorkloadContract, with_gpus, after=(TEAMS,))
# The rules are for teams: without any there is nobody to hold to them.
ADMISSION = Step(
    "admission", admission.Admission, lambda p, facts: p.admission if facts.teams else None, after=(TEAMS,)
)

STEPS: tuple[Step[Any], ...] = (
    *(NODES, EXISTING, PROMETHEUS_CRDS, PRIORITIES, TEAMS, LIMITS, CONFINEMENT, ACCESS, ISOLATION),
    *(SECURITY_CONTEXTS, CONTRACT, ADMISSION),
)
