"""Rules about who acts on sick nodes: one owner, a breaker that somebody heeds, and a way back in."""

from collections.abc import Iterator

from bedplate.components.cloud.aws.section import AwsCloud
from bedplate.components.cloud.gcp.section import GcpCloud
from bedplate.components.facts.capacity import FlexStart
from bedplate.components.observability.health import HealthSection
from bedplate.stacks.profile.problem import Problem, keyed, problem
from bedplate.stacks.profile.profile import Profile


def check_health(profile: Profile) -> Iterator[Problem]:
    """Every fault of the section `health`."""
    section = profile.health
    if section is None:
        return
    if isinstance(profile.cloud, AwsCloud) and profile.cloud.node_repair:
        yield problem("health.two-owners", "true", level=section.level)
    if section.level == "remediate":
        yield from _repaired(profile, section)
    elif "at_once" in section.breaker.model_fields_set:
        yield problem("health.breaker-of-nobody", section.breaker.at_once, reason="at level observe nobody repairs")


def _repaired(profile: Profile, section: HealthSection) -> Iterator[Problem]:
    if profile.own_cloud is None:
        yield problem("health.nobody-repairs", "remediate", profile=profile)
        return
    if profile.verification is None or profile.verification.qualify is None:
        yield problem("health.no-way-back", "remediate")
    if isinstance(profile.own_cloud, GcpCloud) and section.breaker.model_fields_set:
        yield problem("health.breaker-of-nobody", "present", reason="GKE repairs by bounds of its own, and takes none")
    for key, pool in keyed("pools", profile.pools):
        if isinstance(pool.capacity, FlexStart):
            yield problem("health.flex-start", pool.name, key)
