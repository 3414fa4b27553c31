"""What runs on all of it, and what teams leave. Verification is the last: a failed test leaves a whole cluster."""

from typing import Any

from bedplate.components.facts import Facts
from bedplate.components.serving import servers
from bedplate.components.tenancy import leaving
from bedplate.components.verification import nccl
from bedplate.stacks.platform.ground import LIMITS, PRIORITIES, with_teams
from bedplate.stacks.platform.hardware import COMPUTE_DOMAINS, NETWORKS
from bedplate.stacks.platform.scheduling import KINDS, QUEUES
from bedplate.stacks.platform.services import GOOGLE_MONITORS, KEDA, MONITORING, PROMETHEUS_ADAPTER, VOLUMES
from bedplate.stacks.platform.step import Step
from bedplate.stacks.profile.profile import Profile


def proof(profile: Profile, _: Facts) -> nccl.VerificationSection | None:
    """Verification, unless nodes are let into the queues only after the deployment."""
    section = profile.verification
    return section if section and section.qualify is None else None


# Comes up with nobody waiting, and goes first: what teams have made needs its controllers to go.
TEAMS_LEAVE = Step(
    "team-leaving",
    leaving.TeamsLeave,
    with_teams,
    after=(*QUEUES, KEDA),  # and by them after all controllers
)
SERVING = Step(
    "serving",
    servers.Servers,
    lambda p, _: p.serving,
    after=(
        *(PRIORITIES, LIMITS, KINDS, NETWORKS, COMPUTE_DOMAINS, *QUEUES, TEAMS_LEAVE, VOLUMES),
        *(MONITORING, GOOGLE_MONITORS, PROMETHEUS_ADAPTER),
    ),
)
VERIFICATION = Step(
    "verification",
    nccl.NcclVerification,
    proof,
    after=(NETWORKS, COMPUTE_DOMAINS, PRIORITIES, KINDS, TEAMS_LEAVE, *QUEUES),
)

STEPS: tuple[Step[Any], ...] = (TEAMS_LEAVE, SERVING, VERIFICATION)
