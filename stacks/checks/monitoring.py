"""Rules about monitoring and autoscaling: one exporter of each thing, and somebody who scrapes it."""

from collections.abc import Iterator

from bedplate.components.observability.google import GooglePrometheusSection
from bedplate.components.observability.monitoring import ExistingPrometheusSection
from bedplate.components.observability.prometheus_stack import PrometheusStackSection
from bedplate.components.observability.remote_write import AmazonWorkspace
from bedplate.components.platforms import CLOUDS
from bedplate.stacks.facts.monitoring import project
from bedplate.stacks.profile.problem import Problem, keyed, problem
from bedplate.stacks.profile.profile import Profile


def check_monitoring(profile: Profile) -> Iterator[Problem]:
    """Every fault of the sections `monitoring` and `autoscaling`; DCGM is read once, or every series is there twice."""
    section = profile.monitoring
    exporter = section.dcgm_exporter if section else None
    if exporter and profile.gpu_operator:
        yield problem("monitoring.dcgm-twice", "present")
    if exporter and not any(pool.gpu for pool in profile.pools):
        yield problem("monitoring.dcgm-without-gpus", "present")
    if isinstance(section, PrometheusStackSection):
        yield from _stack(profile, section)
    if isinstance(section, ExistingPrometheusSection) and "efa" in section.exporters and profile.fabric.kind != "efa":
        yield problem("monitoring.efa-listed-without-efa", "efa", profile=profile)
    if isinstance(section, GooglePrometheusSection):
        yield from _google(profile, section)
    if profile.autoscaling and section is None:
        yield problem("monitoring.metrics-missing", profile=profile)


def _stack(profile: Profile, section: PrometheusStackSection) -> Iterator[Problem]:
    if section.efa_exporter and profile.fabric.kind != "efa":
        yield problem("monitoring.efa-exporter-without-efa", section.efa_exporter.image, profile=profile)
    if section.control_plane and profile.platform in CLOUDS:
        yield problem("monitoring.no-control-plane", "true", profile=profile)
    roles = {
        target.role_arn for target in section.remote_write if isinstance(target, AmazonWorkspace) and target.role_arn
    }
    if len(roles) > 1:
        yield problem("monitoring.several-roles", sorted(roles))
    if profile.platform == "openshift":
        yield problem("monitoring.second-prometheus-operator", "stack")


def _google(profile: Profile, section: GooglePrometheusSection) -> Iterator[Problem]:
    """Only GKE brings its kinds, and only whoever signs in as Google knows may ask it."""
    if profile.platform != "gke":
        yield problem("monitoring.google-elsewhere", "google", profile=profile)
    if project(profile, section) is None:
        yield problem("monitoring.project-missing")
    if profile.autoscaling and profile.autoscaling.kind == "prometheus-adapter":
        yield problem("monitoring.adapter-at-google", "prometheus-adapter")
    for key, server in keyed("serving.servers", profile.servers):
        if server.kind == "vllm-stack":
            yield problem("monitoring.vllm-stack-at-google", "vllm-stack", key)
